"""Audits a reward: how often is a program paid that is wrong, and a right one refused?

judged rollouts ──► a sample of the accepted, and of the rejected ──► fresh inputs ──► rates with exact intervals
              └──► signs of a trick, in all accepted ones ──► those that have any, too ──► evidence

Only a fresh input proves a program wrong: one that was in no test, that is valid, and on whose answer accepted programs
agree. Signs prove nothing. They choose what else is looked at, and say what a wrong program did.
"""
