/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of zone/load.h share: load.c reads files line by line, each
 * line goes to record.c or directive.c, and from there to generate.c or back
 * to load.c for an included file.
 *
 *	load.c > record.c                     owner TTL class type RDATA
 *	       > directive.c                  $ORIGIN $TTL
 *	                     > load.c         $INCLUDE: one file deeper
 *	                     > generate.c > record.c
 *
 * Every function that returns int gives 0, or -EINVAL when the fault has been
 * reported and reading goes on with the next line, or another -errno (also
 * reported) that ends the load.
 */
#ifndef ZONE_LOADER_H
#define ZONE_LOADER_H

#include "dns/name.h"
#include "zone/build.h"
#include "zone/load.h"
#include "zone/rdata.h"

struct loader {
	struct zone_builder *builder;
	struct zone_report *report;
	struct zone_load_result *result;
	unsigned error_base; /* report->error_nr at the start */

	/* TTL of a record that has none: the first of these that is there. */
	bool has_default_ttl; /* $TTL, RFC 2308 section 4 */
	bool has_last_ttl;    /* of the record before, RFC 1035 section 5.1 */
	bool has_soa_ttl;     /* MINIMUM */
	bool soa_ttl_warned;
	uint32_t default_ttl, last_ttl, soa_ttl;

	uint8_t rdata[RDATA_MAX];
};

/* A file that is being read, linked to the one that includes it. */
struct load_file {
	struct scan scan;
	const struct load_file *parent; /* NULL: the zone file itself */
	const char *path;		/* owned by the source */
	unsigned source;		/* index into the result's sources */
	unsigned depth;
	bool has_owner;
	uint8_t origin[DNS_NAME_MAX];
	uint8_t owner[DNS_NAME_MAX]; /* of the last record */
};

struct record_header {
	uint8_t *owner; /* DNS_NAME_MAX octets, of the caller */
	uint64_t line;
	bool has_ttl, has_class;
	uint16_t type;
	uint32_t ttl;
};

/* load.c */

/*
 * Reads an open file, which is the last source; takes fd. parent NULL: the
 * zone file. Records and $TTL of an included file stay in force behind it,
 * its origin and its last owner do not.
 */
int load_fd(struct loader *loader, const struct load_file *parent, int fd,
	    const uint8_t *origin);

/* Reports "what 'token'". -EINVAL. */
int load_fault(const struct loader *loader, const struct load_file *file,
	       const char *what, const struct scan_token *token);

/* Reports the error that the scan has. -EINVAL. */
int load_scan_fault(const struct loader *loader, const struct load_file *file);

/* record.c */

/* A line that starts with this token, which is no directive. */
int load_record(struct loader *loader, struct load_file *file,
		enum scan_kind kind, const struct scan_token *token);

/* TTL, class and type in any order that ends in the type, from the token on. */
int load_header(struct loader *loader, struct load_file *file,
		enum scan_kind kind, struct scan_token *token,
		struct record_header *header);

/* RDATA from the scan, and the record to the builder. */
int load_rdata(struct loader *loader, struct load_file *file, struct scan *scan,
	       struct record_header *header);

/* A token to a name below the file's origin; out may be that origin. */
int load_name(const struct loader *loader, const struct load_file *file,
	      const struct scan_token *token, uint8_t out[DNS_NAME_MAX]);

int load_ttl(const struct loader *loader, const struct load_file *file,
	     const struct scan_token *token, uint32_t *ttl);

/* directive.c */

/* A line that starts with this word, of which the first octet is '$'. */
int load_directive(struct loader *loader, struct load_file *file,
		   const struct scan_token *token);

/* The next token; where the line ends instead, missing is reported. */
int load_argument(const struct loader *loader, struct load_file *file,
		  const char *missing, enum scan_kind *kind,
		  struct scan_token *token);

/* The line must end here. */
int load_line_end(const struct loader *loader, struct load_file *file);

/* generate.c */

/*
 * $GENERATE start-stop[/step] owner [TTL] [class] type RDATA, as BIND has it:
 * in owner and RDATA, $ is the number, ${offset,width,base} a changed one, \$
 * (or $$) a dollar. RDATA of more than one word stands in quotes, quotes in it
 * as \".
 */
int load_generate(struct loader *loader, struct load_file *file);

/* Records that one $GENERATE may make: a slip of the pen stays bearable. */
#define GENERATE_MAX (1u << 20)

#endif
