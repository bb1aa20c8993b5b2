"""rLLM: `AgentTrainer(agent_flow=..., evaluator=evaluator, ...)`. A row of the data set has `ground_truth`."""

from trainer_adapter.integrations.rllm import JudgeEvaluator
from trainer_adapter.reward_funcs import CodeReward, Kind

evaluator = JudgeEvaluator(CodeReward(Kind.PASS_RATE))
