/* SPDX-License-Identifier: BSD-2-Clause */
/* What this zcdns is: version, libraries it was built with, this kernel. */
#ifndef SERVER_VERSION_H
#define SERVER_VERSION_H

#include <stdio.h>

void version_print(FILE *out);

#endif
