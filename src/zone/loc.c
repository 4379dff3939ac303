/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LOC, in integers throughout: its fractions have a fixed number of digits.
 */
#include "zone/loc.h"

#include "base/octets.h"

#define LOC_LEN	      16
#define EQUATOR	      (1u << 31)
#define DEGREE	      3600000u /* thousandths of an arc second */
#define ALTITUDE_BASE 10000000u
#define ALTITUDE_MAX  4284967295u /* 42849672.95 m */
#define PRECISION_MAX 9000000000u /* 9e9 cm */

/* Digits, and after a point at most decimals more; in the smallest unit. */
static bool fixed_point(const char *text, size_t len, unsigned decimals,
			uint64_t max, uint64_t *value)
{
	const char *point = memchr(text, '.', len);
	size_t whole = point ? (size_t)(point - text) : len;
	size_t part = point ? len - whole - 1 : 0;
	uint64_t fraction = 0;

	if (rdata_number(text, whole, max, value) || part > decimals ||
	    (part && rdata_number(point + 1, part, 999, &fraction)))
		return false;
	for (unsigned i = 0; i < decimals; i++) {
		*value *= 10;
		if (i >= part)
			fraction *= 10;
	}
	*value += fraction;
	return *value <= max;
}

/* degrees [minutes [seconds]] and one of the two letters of dirs */
static int read_angle(struct rdata_input *in, unsigned degree_max,
		      const char *dirs)
{
	static const unsigned decimals[3] = {0, 0, 3};
	const uint64_t max[3] = {degree_max, 59, 59999};
	static const unsigned unit[3] = {DEGREE, DEGREE / 60, 1};
	uint64_t angle = 0, value;

	for (int i = 0; i <= 3; i++) {
		if (input_word(in, "latitude or longitude"))
			return -EINVAL;
		if (i && in->token.len == 1 &&
		    memchr(dirs, *in->token.text & ~0x20, 2))
			break;
		if (i == 3 || !fixed_point(in->token.text, in->token.len,
					   decimals[i], max[i], &value))
			return input_bad(in, "latitude or longitude");
		angle += value * unit[i];
		input_next(in);
	}
	if (angle > (uint64_t)degree_max * DEGREE)
		return input_fail(in, "angle over %u degrees", degree_max);
	if ((*in->token.text & ~0x20) == dirs[0])
		angle = EQUATOR + angle;
	else
		angle = EQUATOR - angle;
	input_next(in);
	return input_put_number(in, angle, 4);
}

/* Metres with an optional "m", in cm. */
static bool metres(const char *text, size_t len, uint64_t max, uint64_t *value)
{
	if (len && (text[len - 1] | 0x20) == 'm')
		len--;
	return fixed_point(text, len, 2, max, value);
}

static int read_altitude(struct rdata_input *in)
{
	const char *text = in->token.text;
	uint64_t value;
	bool below;

	if (input_word(in, "altitude"))
		return -EINVAL;
	below = *text == '-';
	if (!metres(text + below, in->token.len - below,
		    below ? ALTITUDE_BASE : ALTITUDE_MAX, &value))
		return input_bad(in, "altitude");
	input_next(in);
	return input_put_number(
	    in, below ? ALTITUDE_BASE - value : ALTITUDE_BASE + value, 4);
}

/* A digit and a power of ten; further digits are dropped (RFC 1876 app. A). */
static int read_precision(struct rdata_input *in, uint8_t *out)
{
	uint8_t power = 0;
	uint64_t value;

	if (!input_more(in))
		return 0;
	if (input_word(in, "size or precision"))
		return -EINVAL;
	if (!metres(in->token.text, in->token.len, PRECISION_MAX, &value))
		return input_bad(in, "size or precision");
	for (; value > 9; value /= 10)
		power++;
	*out = (uint8_t)(value << 4 | power);
	input_next(in);
	return 0;
}

int loc_read(struct rdata_input *in)
{
	/* Defaults of RFC 1876 section 3: 1 m, 10,000 m, 10 m. */
	uint8_t head[4] = {0, 0x12, 0x16, 0x13};
	size_t at = in->len;

	if (input_put(in, head, sizeof(head)) || read_angle(in, 90, "NS") ||
	    read_angle(in, 180, "EW") || read_altitude(in))
		return -EINVAL;
	for (int i = 1; i < 4; i++)
		if (read_precision(in, in->out + at + i))
			return -EINVAL;
	return 0;
}

static bool angle_is_valid(uint32_t angle, unsigned degree_max)
{
	return angle >= EQUATOR - degree_max * DEGREE &&
	       angle <= EQUATOR + degree_max * DEGREE;
}

const char *loc_fault(const uint8_t *rdata, size_t len)
{
	if (!len)
		return "RDATA is empty";
	if (rdata[0])
		return NULL;
	if (len != LOC_LEN)
		return "RDATA is not 16 octets";
	for (int i = 1; i < 4; i++)
		if (rdata[i] >> 4 > 9 || (rdata[i] & 15) > 9)
			return "bad size or precision";
	if (!angle_is_valid(get_u32(rdata + 4), 90) ||
	    !angle_is_valid(get_u32(rdata + 8), 180))
		return "angle out of range";
	return NULL;
}

static void print_angle(struct rdata_output *out, uint32_t angle,
			const char *dirs)
{
	bool positive = angle >= EQUATOR;
	uint32_t value = positive ? angle - EQUATOR : EQUATOR - angle;

	output_field(out);
	output_format(out, "%u %u %u.%03u %c", value / DEGREE,
		      value / (DEGREE / 60) % 60, value / 1000 % 60,
		      value % 1000, dirs[positive ? 0 : 1]);
}

static void print_metres(struct rdata_output *out, uint64_t cm, bool below)
{
	output_field(out);
	output_format(out, "%s%llu.%02llum", below ? "-" : "",
		      (unsigned long long)cm / 100,
		      (unsigned long long)cm % 100);
}

bool loc_print(struct rdata_output *out, const uint8_t *rdata, size_t len)
{
	uint32_t altitude;

	/* A zero with a power of ten is only 0 m in text. */
	for (int i = 1; !rdata[0] && i < 4; i++)
		if (rdata[i] && !(rdata[i] >> 4))
			return false;
	if (rdata[0] || len != LOC_LEN)
		return false;
	print_angle(out, get_u32(rdata + 4), "NS");
	print_angle(out, get_u32(rdata + 8), "EW");
	altitude = get_u32(rdata + 12);
	if (altitude < ALTITUDE_BASE)
		print_metres(out, ALTITUDE_BASE - altitude, true);
	else
		print_metres(out, altitude - ALTITUDE_BASE, false);
	for (int i = 1; i < 4; i++) {
		uint64_t cm = rdata[i] >> 4;

		for (int power = rdata[i] & 15; power; power--)
			cm *= 10;
		print_metres(out, cm, false);
	}
	return true;
}
