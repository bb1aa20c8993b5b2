"""Piston's `/api/v2`. (Shapes: its api/src/api/v2.js and job.js.)

requests    what its clients send -> a program
answers     what a program did, as Piston words it
graders     the packages of open-r1: cms_ioi, and Codeforces'
connect     the socket at /connect
routes      the endpoints
"""
