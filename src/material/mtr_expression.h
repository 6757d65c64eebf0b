/* Expressions in materials, such as `0.5 * (1 - parm7)`, at the moment that pictures show: time 0, a living,
 * untinted thing (parm0 to parm3 are 1, the others 0).
 *
 * Numbers, the words time, parm0 to parm11 and fragmentPrograms, parentheses and operators are computed. As in the
 * engine, operators have four ranks (* / %, then + -, then > >= < <= == !=, then && ||) and those of one rank group
 * to the right: 1 - 0.5 + 0.1 is 1 - (0.5 + 0.1). % takes whole numbers. What depends on more (tables, sound, global
 * parameters) is not known: the result is then NaN. */
#ifndef MATERIAL_MTR_EXPRESSION_H
#define MATERIAL_MTR_EXPRESSION_H

#include "base/lexer.h"

/* Takes the expression that starts where the lexer stands. It ends on its line, but for what is in parentheses.
 * The lexer's own words do not fit here: to them `parm7==0` is one. */
double mtr_expression_take(struct lexer *lexer);

#endif
