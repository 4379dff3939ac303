/* SPDX-License-Identifier: BSD-2-Clause */
/* Address prefixes: parsing and matching. */
#include "base/acl.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define V4_BITS 32
#define V6_BITS 128

static unsigned bits_of(const struct acl_prefix *prefix)
{
	return prefix->v6 ? V6_BITS : V4_BITS;
}

static int parse_bits(struct acl_prefix *prefix, const char *text)
{
	unsigned long bits;
	char *end;

	/* strtoul() would take blanks and a sign. */
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	bits = strtoul(text, &end, 10);
	if (*end)
		return -EINVAL;
	if (bits > bits_of(prefix))
		return -ERANGE;
	prefix->bits = (uint8_t)bits;
	return 0;
}

/* True when no bit is set behind the prefix. */
static bool is_clean(const struct acl_prefix *prefix)
{
	for (unsigned i = prefix->bits; i < bits_of(prefix); i++)
		if (prefix->address[i / 8] >> (7 - i % 8) & 1)
			return false;
	return true;
}

/* IPv4 in the clothes of IPv6 (RFC 4291 section 2.5.5.2) is IPv4. */
static void unmap(struct acl_prefix *prefix)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (!prefix->v6 || prefix->bits < V6_BITS - V4_BITS ||
	    memcmp(prefix->address, mapped, sizeof(mapped)))
		return;
	prefix->v6 = false;
	prefix->bits -= V6_BITS - V4_BITS;
	memmove(prefix->address, prefix->address + 12, 4);
	memset(prefix->address + 4, 0, 12);
}

int acl_prefix_parse(struct acl_prefix *prefix, const char *text)
{
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	char host[INET6_ADDRSTRLEN];
	int rc = 0;

	memset(prefix, 0, sizeof(*prefix));
	if (len >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, len);
	host[len] = '\0';
	prefix->v6 = memchr(host, ':', len);
	if (inet_pton(prefix->v6 ? AF_INET6 : AF_INET, host, prefix->address) !=
	    1)
		return -EINVAL;
	prefix->bits = (uint8_t)bits_of(prefix);
	if (slash)
		rc = parse_bits(prefix, slash + 1);
	if (!rc && !is_clean(prefix))
		rc = -EDOM;
	if (!rc)
		unmap(prefix);
	return rc;
}

struct acl *acl_new(void)
{
	struct acl *acl = calloc(1, sizeof(*acl));

	if (acl)
		acl->refs = 1;
	return acl;
}

int acl_add(struct acl *acl, const struct acl_prefix *prefix)
{
	struct acl_prefix *grown =
	    realloc(acl->prefix, (acl->nr + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	acl->prefix = grown;
	acl->prefix[acl->nr++] = *prefix;
	return 0;
}

struct acl *acl_get(struct acl *acl)
{
	if (acl)
		acl->refs++;
	return acl;
}

void acl_put(struct acl *acl)
{
	if (!acl || --acl->refs)
		return;
	free(acl->prefix);
	free(acl);
}

bool acl_same(const struct acl *a, const struct acl *b)
{
	unsigned a_nr = a ? a->nr : 0, b_nr = b ? b->nr : 0;

	if (a == b || a_nr != b_nr)
		return a == b;
	for (unsigned i = 0; i < a_nr; i++)
		if (a->prefix[i].v6 != b->prefix[i].v6 ||
		    a->prefix[i].bits != b->prefix[i].bits ||
		    memcmp(a->prefix[i].address, b->prefix[i].address,
			   sizeof(a->prefix[i].address)))
			return false;
	return true;
}

static bool is_in(const struct acl_prefix *prefix, const uint8_t *address)
{
	unsigned octets = prefix->bits / 8, rest = prefix->bits % 8;

	if (memcmp(prefix->address, address, octets))
		return false;
	return !rest ||
	       !((prefix->address[octets] ^ address[octets]) >> (8 - rest));
}

bool acl_permits(const struct acl *acl, const struct sockaddr *address)
{
	const struct sockaddr_in6 *in6 = (const void *)address;
	const struct sockaddr_in *in = (const void *)address;
	const uint8_t *octets;
	bool v6 = false;

	if (!acl || !address)
		return false;
	if (address->sa_family == AF_INET) {
		octets = (const void *)&in->sin_addr;
	} else if (address->sa_family != AF_INET6) {
		return false;
	} else {
		octets = in6->sin6_addr.s6_addr;
		v6 = !IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr);
		if (!v6)
			octets += 12;
	}
	for (unsigned i = 0; i < acl->nr; i++)
		if (acl->prefix[i].v6 == v6 && is_in(&acl->prefix[i], octets))
			return true;
	return false;
}
