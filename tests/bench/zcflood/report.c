/* SPDX-License-Identifier: BSD-2-Clause */
/* The report: one list of counters for both forms. */
#include "zcflood/report.h"

#include <stddef.h>
#include <string.h>

#include "dns/message.h"

#define AT(member) offsetof(struct flood_counters, member)

static const struct {
	const char *key;
	size_t offset;
} counter_list[] = {
    {"sent", AT(sent)},
    {"answered", AT(answered)},
    {"lost", AT(lost)},
    {"wrong_question", AT(wrong[VERDICT_QUESTION])},
    {"wrong_code", AT(wrong[VERDICT_CODE])},
    {"wrong_octets", AT(wrong[VERDICT_OCTETS])},
    {"malformed", AT(wrong[VERDICT_MALFORMED])},
    {"unsolicited", AT(unsolicited)},
    {"duplicates", AT(duplicates)},
    {"late", AT(late)},
    {"send_errors", AT(send_errors)},
    {"octets_received", AT(octets_received)},
};

#define COUNTER_NR (sizeof(counter_list) / sizeof(counter_list[0]))

static const struct {
	const char *key;
	double fraction;
} quantile_list[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99_9", 0.999}};

#define QUANTILE_NR (sizeof(quantile_list) / sizeof(quantile_list[0]))

static const char *const rcode_name[16] = {
    "NOERROR",	"FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP",  "REFUSED",
    "YXDOMAIN", "YXRRSET", "NXRRSET",  "NOTAUTH",  "NOTZONE", "RCODE11",
    "RCODE12",	"RCODE13", "RCODE14",  "RCODE15",
};

static unsigned long long counter_of(const struct run *run, size_t i)
{
	uint64_t value;

	memcpy(&value,
	       (const char *)&run->flood->counters + counter_list[i].offset,
	       sizeof(value));
	return value;
}

static const char *mode_of(const struct run *run)
{
	return run->options->rate > 0 ? "open" : "closed";
}

static double rate_of(const struct run *run)
{
	return run->seconds > 0
		   ? (double)run->flood->counters.answered / run->seconds
		   : 0;
}

static double mean_us(const struct histogram *latency)
{
	return latency->nr ? (double)latency->sum / (double)latency->nr / 1e3
			   : 0;
}

static void text_latency(FILE *out, const struct histogram *latency)
{
	fprintf(out, "%-16s min %.1f, mean %.1f", "latency us",
		(double)latency->min / 1e3, mean_us(latency));
	for (size_t i = 0; i < QUANTILE_NR; i++)
		fprintf(out, ", p%g %.1f", 100 * quantile_list[i].fraction,
			(double)histogram_quantile(latency,
						   quantile_list[i].fraction) /
			    1e3);
	fprintf(out, ", max %.1f\n", (double)latency->max / 1e3);
}

void report_text(FILE *out, const struct run *run)
{
	const struct flood_counters *counters = &run->flood->counters;
	const char *separator = "";

	fprintf(out, "%-16s %s, %s loop, %u sources, bursts of %u%s\n", "flood",
		run->transport->ops->name, mode_of(run), run->options->sources,
		run->options->burst, run->options->gro ? ", GRO" : "");
	for (size_t i = 0; i < COUNTER_NR; i++)
		fprintf(out, "%-16s %llu\n", counter_list[i].key,
			counter_of(run, i));
	fprintf(out, "%-16s ", "rcodes");
	for (int i = 0; i < 16; i++) {
		if (!counters->rcode[i])
			continue;
		fprintf(out, "%s%s %llu", separator, rcode_name[i],
			(unsigned long long)counters->rcode[i]);
		separator = ", ";
	}
	fprintf(out, "\n%-16s %.6f\n%-16s %.0f\n%-16s %.3f\n", "seconds",
		run->seconds, "rate", rate_of(run), "cpu_seconds",
		run->cpu_seconds);
	text_latency(out, &run->flood->latency);
}

static void json_latency(FILE *out, const struct histogram *latency)
{
	fprintf(out, "  \"latency_us\": {\"min\": %.3f, \"mean\": %.3f",
		(double)latency->min / 1e3, mean_us(latency));
	for (size_t i = 0; i < QUANTILE_NR; i++)
		fprintf(out, ", \"%s\": %.3f", quantile_list[i].key,
			(double)histogram_quantile(latency,
						   quantile_list[i].fraction) /
			    1e3);
	fprintf(out, ", \"max\": %.3f},\n", (double)latency->max / 1e3);
}

static void json_rcodes(FILE *out, const struct flood_counters *counters)
{
	const char *separator = "";

	fprintf(out, "  \"rcodes\": {");
	for (int i = 0; i < 16; i++) {
		if (!counters->rcode[i])
			continue;
		fprintf(out, "%s\"%s\": %llu", separator, rcode_name[i],
			(unsigned long long)counters->rcode[i]);
		separator = ", ";
	}
	fprintf(out, "},\n");
}

void report_json(FILE *out, const struct run *run)
{
	const struct options *options = run->options;

	fprintf(out, "{\n");
	for (size_t i = 0; i < COUNTER_NR; i++)
		fprintf(out, "  \"%s\": %llu,\n", counter_list[i].key,
			counter_of(run, i));
	json_rcodes(out, &run->flood->counters);
	json_latency(out, &run->flood->latency);
	fprintf(out,
		"  \"seconds\": %.6f,\n  \"rate\": %.1f,\n"
		"  \"cpu_seconds\": %.6f,\n  \"sources\": %u,\n"
		"  \"burst\": %u,\n  \"gro\": %s,\n  \"mode\": \"%s\",\n"
		"  \"transport\": \"%s\"\n}\n",
		run->seconds, rate_of(run), run->cpu_seconds, options->sources,
		options->burst, options->gro ? "true" : "false", mode_of(run),
		run->transport->ops->name);
}
