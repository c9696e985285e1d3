# Makes of a header's plain comments those that doxygen reads (docs/Doxyfile).
# Lines between parts of a header belong to nothing.
s#^/\* ----.*---- \*/$##
# The opening comment: "name.h - what it is".
s#^ \* ([a-z_0-9]+\.h) - (.*)# * @file \1\n * \2#
# A comment of its own, and one behind a member.
s#^([[:space:]]*)/\*([[:space:]]|$)#\1/**\2#
t
s#^(.*[^[:space:]/].*[[:space:]])/\* #\1/**< #
