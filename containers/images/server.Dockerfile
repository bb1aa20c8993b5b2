# judge serve, in a container that needs no privileges: it runs as a user of its own, and judges in the tier restricted-user.
#
#   python scripts/wheels.py x86_64
#   docker build -f containers/images/toolchains.Dockerfile --build-arg PACKAGES="g++ libc6-dev mold python3 python3-venv" -t judge-toolchains .
#   docker build -f containers/images/server.Dockerfile -t judge-server .
#   docker run -p 127.0.0.1:8080:8080 -v judge:/var/lib/judge -e JUDGE_SERVE_OPEN=true judge-server
#
# BASE has Python 3.11 or later with venv, and the compilers of the languages that are to be judged. Without network:
# wheels/ of the build context also holds what judge depends on; then PIP_OPTIONS="--no-index".
ARG BASE=judge-toolchains
FROM ${BASE} AS made

ARG PIP_OPTIONS=""
COPY wheels /tmp/wheels
RUN python3 -m venv /opt/judge && \
    /opt/judge/bin/pip install --quiet --no-cache-dir --disable-pip-version-check ${PIP_OPTIONS} --find-links /tmp/wheels "$(echo /tmp/wheels/judge_rl-*"$(uname -m)".whl)[serve,postgres,traces]" && \
    /opt/judge/bin/pip uninstall --quiet --yes --disable-pip-version-check pip setuptools

# Without the wheels, and without pip.
FROM ${BASE}
COPY --from=made /opt/judge /opt/judge
RUN ln -s /opt/judge/bin/judge /usr/local/bin/judge && \
    useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/judge judge && \
    install -d -o judge -g judge -m 700 /var/lib/judge

# The database of one server, compiled programs and headers; a volume here keeps them.
ENV JUDGE_CACHE_DIR=/var/lib/judge JUDGE_SERVE_HOST=0.0.0.0 HOME=/var/lib/judge PYTHONUNBUFFERED=1
VOLUME /var/lib/judge
WORKDIR /var/lib/judge
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD \
    ["/opt/judge/bin/python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ.get('JUDGE_SERVE_PORT', '8080') + '/healthz', timeout=4)"]
ENTRYPOINT ["judge"]
CMD ["serve"]
