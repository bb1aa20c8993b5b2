# The compilers and runtimes that judge knows, on Debian or Ubuntu.
#
#   docker build -f containers/images/toolchains.Dockerfile -t judge-toolchains .
#   docker build ... --build-arg BASE=ubuntu:24.04 --build-arg PACKAGES="g++ libc6-dev python3-venv" .
#
# Without network: a BASE that is there, and a build context whose directory packages/ holds the .deb files of PACKAGES
# and of what they depend on (tests/containers/docker/images.sh collects them); then nothing else is installed.
ARG BASE=debian:bookworm-slim
FROM ${BASE}

ARG PACKAGES="gcc g++ libc6-dev mold python3 python3-venv python3-numpy pypy3 default-jdk-headless rustc golang-go nodejs fp-compiler"

# The Dockerfile's own directory is always there: COPY needs one thing that it finds.
COPY containers/images packages* /tmp/packages/
RUN set -eu; export DEBIAN_FRONTEND=noninteractive; \
    # JDKs of slim images fail to link their manual pages.
    mkdir -p /usr/share/man/man1; \
    if ls /tmp/packages/*.deb >/dev/null 2>&1; then \
      apt-get install -y -qq --no-install-recommends /tmp/packages/*.deb >/dev/null; \
    else \
      apt-get update -qq; apt-get install -y -qq --no-install-recommends ${PACKAGES} >/dev/null; \
    fi; \
    apt-get clean; rm -rf /var/lib/apt/lists/* /tmp/packages
