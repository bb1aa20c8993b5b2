"""Submissions judged by the machines of a Ray cluster.

    Judge ──► RayExecutor (executor)     any thread; the doors to what follows
                  │ one thread, one event loop
              Dispatcher (dispatch)      one queue, the nodes that serve, what was lost and is judged again
                  │ calls of a Ray actor; packages through the object store (shipping)
              Node (node)                one on each machine: a LocalExecutor with the slots and the cache there

An answer is taken from the call that is being waited for, and a submission is sent again only after its call was given
up: however often it is judged, it is answered once.
"""
