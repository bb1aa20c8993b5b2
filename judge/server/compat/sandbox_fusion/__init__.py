"""SandboxFusion's endpoints. (Shapes: its server/sandbox_api.py, server/online_judge_api.py and datasets/types.py.)

running     /run_code: a program -> how its runs read
jupyter     /run_jupyter: cells in one interpreter, by `cells.py` in the sandbox
datasets    what a data set is: rows that a request brings along, or the problems of this server
evaluate    a completion and the tests of a row -> a judgement -> a result as SandboxFusion words it
routes      the endpoints
"""
