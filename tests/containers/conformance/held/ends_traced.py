import sys

sys.settrace(lambda frame, event, _: print(event, frame.f_code.co_name))
