# judge, in a container that needs no privileges: programs are judged in the tier restricted-root.
#
#   docker build -f containers/images/toolchains.Dockerfile -t judge-toolchains .
#   python -m build --wheel -o wheels .
#   docker build -f containers/images/judge.Dockerfile -t judge .
#   docker run --rm --network none -v "$PWD:/work:ro" judge run solution.cpp --problem P1001
#
# BASE has Python 3.11 or later with venv, and the compilers of the languages that are to be judged. Without network:
# wheels/ of the build context also holds what judge depends on (pip download -d wheels wheels/judge_rl-*.whl); then
# PIP_OPTIONS="--no-index".
ARG BASE=judge-toolchains
FROM ${BASE}

ARG PIP_OPTIONS=""
COPY wheels /tmp/wheels
RUN python3 -m venv /opt/judge && \
    /opt/judge/bin/pip install --quiet --no-cache-dir --disable-pip-version-check ${PIP_OPTIONS} --find-links /tmp/wheels "$(echo /tmp/wheels/judge_rl-*"$(uname -m)".whl)" && \
    rm -rf /tmp/wheels && \
    ln -s /opt/judge/bin/judge /usr/local/bin/judge

# Compiled programs and headers; a volume here keeps them.
ENV JUDGE_CACHE_DIR=/var/cache/judge
WORKDIR /work
ENTRYPOINT ["judge"]
CMD ["doctor"]
