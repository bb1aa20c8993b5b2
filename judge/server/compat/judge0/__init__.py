"""Judge0's submissions. (Shapes: its documentation of version 1.13.1.)

names       its numbers of languages and statuses
requests    what its clients send -> an execution, and what is kept with it
answers     a stored execution -> a submission as Judge0 shows it
stored      its submissions in the database: one, many, how many
callbacks   a finished submission is sent to where its client asked for
routes      the endpoints
"""
