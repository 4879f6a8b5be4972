#!/bin/sh
# Doxygen's filter: the header with comments as Doxygen reads them.
sed -E -e '1s#^/\* #/** @file\n * #' -e 's#^/\* ----.*#/*#' -e 's#^( *)/\* #\1/** #' -e 's#^(.*[^ ].*) /\* (.*)#\1 /**< \2#' "$1"
