"""Judges submissions on the machines of a Ray cluster.

    Judge ──► RayExecutor (executor)     callable from any thread
                  │ one thread, one event loop
              Dispatcher (dispatch)      one queue, the nodes that serve it; judges again what a node lost
                  │ calls of a Ray actor; packages through the object store (shipping)
              Node (node)                one on each machine: a LocalExecutor with the slots and the cache there

We send a submission again only after we gave up its last call, and take an answer only from the current call. So
however often a submission is judged, it is answered once.
"""
