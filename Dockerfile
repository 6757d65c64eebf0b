# Builds with docker, podman and buildah.
#   docker build -t sheetbake .
#   docker run --rm -v "$PWD":/work -u "$(id -u):$(id -g)" sheetbake render jobs/demo.yaml
# The image has what the tarball has, the program with all of its libraries, and nothing else. With a shell and packages
# below it, such as git for `diff --base` and `history`:
#   docker build --build-arg ON=debian:12-slim -t sheetbake .
ARG BASE=debian:bookworm-20251229-slim
ARG ON=scratch

FROM ${BASE} AS build
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Makefile CHANGELOG.md ./
COPY tests/install-packages tests/tests.mk tests/
RUN make deps && rm -rf /var/lib/apt/lists/*
COPY . .
RUN make -j"$(nproc)" relocatable \
    && mkdir -p /image/opt /image/usr/local/bin && mkdir -m 1777 /image/cache /image/tmp \
    && mv build/release/sheetbake-*-linux-* /image/opt/sheetbake && rm -r /image/opt/sheetbake/share/doc/sheetbake/docs \
    && ln -s /opt/sheetbake/bin/sheetbake /image/usr/local/bin/sheetbake

FROM ${ON}
COPY --from=build /image/ /
# Mesa keeps compiled shaders here. Mount a volume to keep them between containers.
ENV MESA_SHADER_CACHE_DIR=/cache PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
VOLUME /cache
USER 1000:1000
WORKDIR /work
ENTRYPOINT ["sheetbake"]
CMD ["--help"]
