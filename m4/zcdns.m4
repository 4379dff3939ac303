# SPDX-License-Identifier: BSD-2-Clause

# ZC_CHECK_FLAG(FLAGS, IF-YES, IF-NO): does the compiler take FLAGS, silently?
AC_DEFUN([ZC_CHECK_FLAG], [
	AC_MSG_CHECKING([whether $CC takes $1])
	zc_saved_cflags=$CFLAGS
	CFLAGS="$CFLAGS -Werror $1"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
		[zc_takes=yes], [zc_takes=no])
	CFLAGS=$zc_saved_cflags
	AC_MSG_RESULT([$zc_takes])
	AS_IF([test "$zc_takes" = yes], [m4_default([$2], [:])],
		[m4_default([$3], [:])])
])

# ZC_ADD_FLAGS(VARIABLE, FLAGS): adds each of FLAGS that the compiler takes.
AC_DEFUN([ZC_ADD_FLAGS], [
	m4_foreach_w([zc_flag], [$2],
		[ZC_CHECK_FLAG(m4_quote(zc_flag),
			[$1="$$1 ]m4_defn([zc_flag])["])])
])

# ZC_SYSTEM_DIR(VARIABLE, MODULE, MODULE-VARIABLE, WISH, OWN-PREFIX): the
# directory that the system's MODULE names when we install to /usr, else
# OWN-PREFIX. WISH is a directory, auto or no; a directory only moves the
# unit directory, the others go by the prefix.
AC_DEFUN([ZC_SYSTEM_DIR], [
	zc_dir='$5'
	AS_CASE([$prefix], [/usr],
		[zc_dir=`$PKG_CONFIG --variable=$3 $2 2>/dev/null`
		AS_IF([test -z "$zc_dir"], [zc_dir='$5'])])
	AS_CASE([$1,$4], [systemdsystemunitdir,/*], [zc_dir=$4])
	AC_SUBST([$1], [$zc_dir])
])
