/* SPDX-License-Identifier: BSD-2-Clause */
/* Collecting the faults of a configuration. */
#include <config.h>

#include "server/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char *fault_place(const char *file, unsigned line, const char *what)
{
	char *text;
	int len;

	if (!file)
		len = asprintf(&text, "%s", what);
	else if (!line)
		len = asprintf(&text, "%s: %s", file, what);
	else
		len = asprintf(&text, "%s:%u: %s", file, line, what);
	return len < 0 ? NULL : text;
}

/* The texts with room for one more: it doubles at the powers of two. */
static char **fault_room(const struct fault_list *list)
{
	size_t nr = list->nr;

	if (nr & (nr - 1))
		return list->text;
	return realloc(list->text, (nr ? 2 * nr : 1) * sizeof(*list->text));
}

void fault_add(struct fault_list *list, const char *file, unsigned line,
	       const char *format, ...)
{
	char **grown;
	char *what, *text;
	va_list ap;
	int len;

	va_start(ap, format);
	len = vasprintf(&what, format, ap);
	va_end(ap);
	text = len < 0 ? NULL : fault_place(file, line, what);
	if (len >= 0)
		free(what);
	grown = text ? fault_room(list) : NULL;
	if (!grown) {
		free(text);
		list->no_memory = true;
		return;
	}
	list->text = grown;
	list->text[list->nr++] = text;
}

void fault_print(const struct fault_list *list, FILE *out)
{
	for (unsigned i = 0; i < list->nr; i++)
		fprintf(out, "%s\n", list->text[i]);
	if (list->no_memory)
		fprintf(out, "out of memory\n");
}

void fault_release(struct fault_list *list)
{
	for (unsigned i = 0; i < list->nr; i++)
		free(list->text[i]);
	free(list->text);
	*list = (struct fault_list){0};
}
