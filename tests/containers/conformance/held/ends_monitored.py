import sys

if sys.version_info >= (3, 12):
    monitoring = sys.monitoring
    monitoring.use_tool_id(3, "shown")
    monitoring.register_callback(3, monitoring.events.PY_START, lambda code, _: print(code.co_name))
    monitoring.set_events(3, monitoring.events.PY_START)
