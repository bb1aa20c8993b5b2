"""Examples to train on without a judge: a prompt with an answer to imitate, or with a better and a worse one."""
