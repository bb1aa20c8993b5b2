"""A resources server of NeMo Gym: save it as resources_servers/judge/app.py.

A row has `responses_create_params` and `verifier_metadata`: {"problem_id" or "tests": …, "language": …}.
"""

from typing import Any

from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseVerifyRequest,
    BaseVerifyResponse,
    SimpleResourcesServer,
)

from trainer_adapter.integrations import nemo_gym


class Config(BaseResourcesServerConfig):
    #: True for trainers that leave out what has `mask_sample`; else a lost judgement is an error of the rollout.
    mask_lost: bool = False


class Request(BaseVerifyRequest):
    verifier_metadata: dict[str, Any]


class Response(BaseVerifyResponse):
    mask_sample: bool
    verdict: str


class JudgeServer(SimpleResourcesServer):
    config: Config

    async def verify(self, body: Request) -> Response:
        found = await nemo_gym.verify(
            body.response.output_text, body.verifier_metadata, mask_lost=self.config.mask_lost
        )
        return Response(**body.model_dump(), **found)


if __name__ == "__main__":
    JudgeServer.run_webserver()
