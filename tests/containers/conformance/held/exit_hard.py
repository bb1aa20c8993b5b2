import os
print("lost")
os._exit(7)
