"""Who profiles a program sees what is called in the end."""

import sys

sys.setprofile(lambda frame, event, _: print(event, frame.f_code.co_name))
