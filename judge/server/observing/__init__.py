"""What the server tells: metrics, logs, traces, the audit log, tests as they are run."""
