"""The judge as a service (`judge serve`): HTTP in front of a `Judge`, with what it has accepted kept in a database.

request ─► keys (who may) ─► Service.accept: stored, then queued ─► 202, or wait for it
                                        │
                             Judge.submit / submit_program ─► stored once ─► every answer is read from the store
"""
