/* What the tests look at in the Brute; internal to src/agents. */
#ifndef SIXER_AGENTS_LINEAR_BRUTE_H
#define SIXER_AGENTS_LINEAR_BRUTE_H

/* The probability of a uniform action in a history that was met n times, the present visit included. Machado et al.
 * 2018 print two formulas: 0 is appendix B's, which lists the parameters that were used; 1 is appendix A's. */
double brute_exploration(int formula, double n);

#endif
