/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each text is written as the tokens it must give: W(word) Q[quoted] with "+"
 * in front where it is glued and ">" where it is indented, "/" for a line end,
 * "." for the end of the file, "!line:error" for an error.
 */
#include "zone/scan.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char got[4096];

static size_t put(size_t at, enum scan_kind kind, const struct scan *scan,
		  const struct scan_token *token)
{
	char text[SCAN_TEXT_MAX];
	size_t max = sizeof(got) - at;

	if (kind == SCAN_EOL)
		return at + (size_t)snprintf(got + at, max, "/");
	if (kind == SCAN_EOF)
		return at + (size_t)snprintf(got + at, max, ".");
	if (kind == SCAN_ERROR)
		return at +
		       (size_t)snprintf(got + at, max, "!%llu:%s",
					(unsigned long long)scan->error_line,
					scan->error);
	scan_token_text(text, token);
	return at + (size_t)snprintf(got + at, max, "%s%s%s%s%s",
				     token->indented ? ">" : "",
				     token->glued ? "+" : "",
				     kind == SCAN_WORD ? "W(" : "Q[", text,
				     kind == SCAN_WORD ? ")" : "]");
}

static void run(struct scan *scan)
{
	struct scan_token token;
	enum scan_kind kind;
	size_t at = 0;

	do {
		kind = scan_next(scan, &token);
		at = put(at, kind, scan, &token);
		ck_assert_uint_lt(at, sizeof(got) - 200);
	} while (kind != SCAN_EOF);
}

/* A file with this text, open for reading and without a name. */
static int file_of(const char *text, size_t len)
{
	FILE *file = tmpfile();
	int fd;

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, len, file), len);
	ck_assert_int_eq(fflush(file), 0);
	fd = dup(fileno(file));
	ck_assert_int_ge(fd, 0);
	fclose(file);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

struct row {
	const char *text;
	const char *tokens;
};

static const struct row rows[] = {
    {"", "."},
    {"\n\n  \n\t; x\n", "."},
    {"a b\n", "W(a)W(b)/."},
    {"a b", "W(a)W(b)/."},
    {" a\tb\n c", ">W(a)W(b)/>W(c)/."},
    {"\na\n \nb\n", "W(a)/W(b)/."},
    /* B-ZS01, P16 */
    {"\"one\"two th\"r\"ee\n", "Q[one]+W(two)W(th)+Q[r]+W(ee)/."},
    {"ef\"gh\" x", "W(ef)+Q[gh]W(x)/."},
    {"a(b)c", "W(a)W(b)W(c)/."},
    /* B-ZS02 */
    {"k TXT (\n  \"v; \"\n  \"p=A\")\nl", "W(k)W(TXT)Q[v; ]Q[p=A]/W(l)/."},
    {"a(\n)b (;c)\n) d\ne", "W(a)W(b)W(d)/W(e)/."},
    {"( a\n b )\n", "W(a)W(b)/."},
    {" ( a )\n()\n(\n)\n", ">W(a)/."},
    /* B-ZS13, P17, P25 */
    {"a (\r\n b)\r\n\r\n\"c\rd\"\r\n", "W(a)W(b)/Q[c\\013d]/."},
    {"; c\r\na\r\n", "W(a)/."},
    {"\"\t\v\f\001\"", "Q[\\009\\011\\012\\001]/."},
    {"a\rb\rc", "W(a)!1:CR without LF (line ends must be LF or CR LF)"
		"W(b)!1:CR without LF (line ends must be LF or CR LF)"
		"W(c)/."},
    {"; a\rb A\n", "!1:CR without LF (line ends must be LF or CR LF)"
		   "W(b)W(A)/."},
    {"a \v b\n", "W(a)!1:control character outside quotesW(b)/."},
    {"a\177\n", "W(a)!1:control character outside quotes/."},
    /* B-ZS14, P17b */
    {"a 60 TXT ( x\nb A\n", "W(a)W(60)W(TXT)W(x)W(b)W(A)!1:unbalanced '('"
			    "/."},
    {"a\n\na TXT x )\nb", "W(a)/W(a)W(TXT)W(x)!3:unbalanced ')'/W(b)/."},
    {"\n(x\n( y ) )\nb", "W(x)!2:nested parenthesesW(y)!3:unbalanced ')'/"
			 "W(b)/."},
    {")\na\n", "!1:unbalanced ')'/W(a)/."},
    /* B-ZS15 */
    {"v=DMARC1;p=none\nb v=DMARC1\\;", "W(v=DMARC1)/W(b)W(v=DMARC1\\;)/."},
    /* P05 */
    {"\"abc\nb\n", "!1:unbalanced quotes/W(b)/."},
    {"\"abc\n def\"\nb", "!1:unbalanced quotes/>W(def)!2:unbalanced quotes"
			 "/W(b)/."},
    {"x \"abc", "W(x)!1:unbalanced quotes/."},
    {"\"abc\r\n", "!1:unbalanced quotes/."},
    /* Escapes. */
    {"a\\\"b\\(c\\)d\\;e\\\\ f\\ g", "W(a\\\"b\\(c\\)d\\;e\\\\)W(f\\ g)/."},
    {"\"a\\\"b\\\\\"c", "Q[a\\\"b\\\\]+W(c)/."},
    {"\\@ \\000", "W(\\@)W(\\000)/."},
    {"a\\\nb", "!1:backslash at the end of a line/W(b)/."},
    {"a\\\r\nb", "!1:backslash at the end of a line/W(b)/."},
    {"a\\", "!1:backslash at the end of a line/."},
    {"\"a\\\nb", "!1:backslash at the end of a line/W(b)/."},
    {"a ;\"(\nb", "W(a)/W(b)/."},
    {"\"\" \"\"\"\"", "Q[]Q[]+Q[]/."},
    /* P08: a byte order mark is stripped at the start alone. */
    {"\xef\xbb\xbf$TTL 1", "W($TTL)W(1)/."},
    {"\xef\xbb\xbf", "."},
    {"\xef\xbb", "W(\\239\\187)/."},
    {"a\n\xef\xbb\xbf b", "W(a)/W(\\239\\187\\191)W(b)/."},
};

START_TEST(tokens_of_text)
{
	const struct row *row = &rows[_i];
	struct scan scan;

	scan_init_text(&scan, row->text, strlen(row->text));
	run(&scan);
	scan_release(&scan);
	ck_assert_str_eq(got, row->tokens);

	ck_assert_int_eq(
	    scan_init(&scan, file_of(row->text, strlen(row->text))), 0);
	run(&scan);
	scan_release(&scan);
	ck_assert_str_eq(got, row->tokens);
}
END_TEST

START_TEST(P17_nul)
{
	struct scan scan;

	scan_init_text(&scan, "\"a\0b\" c\0d\n", 10);
	run(&scan);
	ck_assert_str_eq(got, "Q[a\\000b]W(c)!1:control character outside "
			      "quotesW(d)/.");
}
END_TEST

/*
 * Every row again, moved so that each of its octets lies once at the end of
 * the window of 64 KiB.
 */
START_TEST(window_ends_anywhere)
{
	const struct row *row = &rows[_i];
	size_t len = strlen(row->text), total = 65536 + len;
	char *text = malloc(total);
	struct scan scan;

	if (row->text[0] == '\xef' || strchr(row->tokens, '!')) {
		free(text); /* about the first octets, or names line 1 */
		return;
	}
	for (size_t cut = 0; cut <= len; cut++) {
		size_t pad = 65536 - cut;

		memset(text, '\n', pad);
		memcpy(text + pad, row->text, len);
		ck_assert_int_eq(scan_init(&scan, file_of(text, pad + len)), 0);
		run(&scan);
		scan_release(&scan);
		ck_assert_str_eq(got, row->tokens);
	}
	free(text);
}
END_TEST

START_TEST(token_over_the_window)
{
	size_t len = 700000;
	char *text = malloc(len + 3);
	struct scan scan;
	struct scan_token token;

	memset(text, 'x', len);
	memcpy(text + len, " y\n", 3);
	ck_assert_int_eq(scan_init(&scan, file_of(text, len + 3)), 0);
	ck_assert_int_eq(scan_next(&scan, &token), SCAN_WORD);
	ck_assert_uint_eq(token.len, len);
	ck_assert_mem_eq(token.text, text, len);
	ck_assert_int_eq(scan_next(&scan, &token), SCAN_WORD);
	ck_assert_int_eq(scan_next(&scan, &token), SCAN_EOL);
	ck_assert_int_eq(scan_next(&scan, &token), SCAN_EOF);
	scan_release(&scan);
	free(text);
}
END_TEST

START_TEST(token_too_long)
{
	size_t len = SCAN_TOKEN_MAX + 10;
	char *text = malloc(len);
	struct scan scan;

	memset(text, 'x', len);
	text[0] = text[1] = '\n';
	ck_assert_int_eq(scan_init(&scan, file_of(text, len)), 0);
	run(&scan);
	ck_assert_str_eq(got, "!3:token over 1 MiB/.");
	scan_release(&scan);
	free(text);
}
END_TEST

START_TEST(read_error)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY);
	struct scan scan;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(scan_init(&scan, fd), 0);
	run(&scan);
	ck_assert_str_eq(got, "!1:read error/.");
	scan_release(&scan);
}
END_TEST

static void check_skip(const char *text, enum scan_kind kind, const char *next)
{
	struct scan scan;
	struct scan_token token;

	scan_init_text(&scan, text, strlen(text));
	scan_next(&scan, &token);
	ck_assert_msg(scan_skip_line(&scan) == kind, "%s", text);
	if (kind == SCAN_ERROR)
		ck_assert_int_eq(scan_next(&scan, &token), SCAN_EOL);
	run(&scan);
	ck_assert_str_eq(got, next);
}

START_TEST(rest_of_a_line_is_skipped)
{
	check_skip("a b (\n c ) d\ne", SCAN_EOL, "W(e)/.");
	check_skip("a ) \"x\ne", SCAN_EOL, "W(e)/.");
	check_skip(")\ne", SCAN_EOL, "W(e)/.");
	check_skip("a ( b\ne", SCAN_ERROR, ".");
	check_skip("a", SCAN_EOL, ".");
	check_skip("a\nb\n", SCAN_EOL, "W(b)/.");
	check_skip("", SCAN_EOL, ".");
}
END_TEST

/* Where a comment cuts a word in the next line, 0 for nowhere. */
static uint64_t next_cut(struct scan *scan)
{
	struct scan_token token;

	while (scan_next(scan, &token) != SCAN_EOL)
		;
	return scan->cut_line;
}

START_TEST(B_ZS15_comment_that_cuts_a_word)
{
	static const char text[] = "a\nb (\nc;d\n)\ne ;f\n\"g\";h\n";
	struct scan scan;

	scan_init_text(&scan, text, sizeof(text) - 1);
	ck_assert_uint_eq(next_cut(&scan), 0);
	ck_assert_uint_eq(next_cut(&scan), 3);
	ck_assert_uint_eq(next_cut(&scan), 0);
	ck_assert_uint_eq(next_cut(&scan), 0);
}
END_TEST

/* Lines are counted past 32 bits. */
START_TEST(B_ZS20_line_over_32_bits)
{
	struct scan scan;

	scan_init_text(&scan, "\n\n(\n)\n\"\n", 8);
	scan.line = 4294967294;
	run(&scan);
	ck_assert_str_eq(got, "!4294967298:unbalanced quotes/.");
	scan_init_text(&scan, "\n\n(\n", 4);
	scan.line = 4294967294;
	run(&scan);
	ck_assert_str_eq(got, "!4294967296:unbalanced '('/.");
}
END_TEST

START_TEST(token_for_a_message)
{
	char text[SCAN_TEXT_MAX], word[300];
	struct scan_token token = {.text = "a\n\xff", .len = 3};

	ck_assert_uint_eq(scan_token_text(text, &token), 9);
	ck_assert_str_eq(text, "a\\010\\255");
	memset(word, 'x', sizeof(word));
	token.text = word;
	token.len = sizeof(word);
	ck_assert_uint_lt(scan_token_text(text, &token), SCAN_TEXT_MAX);
	ck_assert_str_eq(text + strlen(text) - 4, "x...");
	memset(word, 1, sizeof(word));
	ck_assert_uint_lt(scan_token_text(text, &token), SCAN_TEXT_MAX);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("scan");
	int row_nr = (int)(sizeof(rows) / sizeof(*rows));

	tcase_add_loop_test(tcase, tokens_of_text, 0, row_nr);
	tcase_add_loop_test(tcase, window_ends_anywhere, 0, row_nr);
	tcase_add_test(tcase, P17_nul);
	tcase_add_test(tcase, token_over_the_window);
	tcase_add_test(tcase, token_too_long);
	tcase_add_test(tcase, read_error);
	tcase_add_test(tcase, rest_of_a_line_is_skipped);
	tcase_add_test(tcase, B_ZS15_comment_that_cuts_a_word);
	tcase_add_test(tcase, B_ZS20_line_over_32_bits);
	tcase_add_test(tcase, token_for_a_message);
	return unit_run("scan", tcase);
}
