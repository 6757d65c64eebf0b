# Builds with docker, podman and buildah.
#   docker build -t sheetbake .
#   docker run --rm -v "$PWD":/work -u "$(id -u):$(id -g)" sheetbake render jobs/demo.yaml
ARG BASE=debian:bookworm-20251229-slim

FROM ${BASE} AS build
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Makefile CHANGELOG.md ./
COPY tests/install-packages tests/tests.mk tests/
RUN make deps && rm -rf /var/lib/apt/lists/*
COPY . .
RUN make -j"$(nproc)" && make install DESTDIR=/install PREFIX=/usr

FROM ${BASE}
COPY --from=build /install/usr/share/sheetbake/packages /usr/share/sheetbake/
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(cat /usr/share/sheetbake/packages) \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 sheetbake \
    && mkdir /cache && chmod 1777 /cache
COPY --from=build /install/usr/ /usr/
# Mesa keeps compiled shaders here. Mount a volume to keep them between containers.
ENV MESA_SHADER_CACHE_DIR=/cache
VOLUME /cache
USER sheetbake
WORKDIR /work
ENTRYPOINT ["sheetbake"]
CMD ["--help"]
