# One image for every service: the command selects the service, such as `api`.
# For a reproducible build, set the base by digest: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /guildcal
COPY package.json package-lock.json .npmrc ./
# Without optional packages: a container of a service needs no embedded mongod and nats-server.
RUN ["npm", "ci", "--omit=dev", "--omit=optional"]

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /guildcal
COPY --from=dependencies /guildcal/node_modules node_modules
COPY package.json moleculer.config.ts LICENSE ./
COPY mixins mixins
COPY services services
RUN ["install", "--directory", "--owner=65532", "--group=65532", "node_modules/.cache"]
# A numeric user, so that an orchestrator can verify that it is not root. The service writes no files: the root file system may be read-only.
USER 65532:65532
# Compiles the code for this user, which halves the processor time of each start.
RUN ["node", "--disable-proto=delete", "--max-semi-space-size=8", "--heap-growing-percent=100", "--import", "./services/launch/compile-cache.js", "services/launch/compile.ts"]
# The labels come last, so that another time of the build uses the cached layers.
ARG VERSION=0.1.0
ARG SOURCE=
ARG REVISION=
ARG CREATED=
LABEL org.opencontainers.image.title="guildcal" \
      org.opencontainers.image.description="Calendar and announcement service behind guild bots and dashboards: stores events, settings and announcements, and posts each announcement once and on time, or records the reason." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
EXPOSE 3000 9100
# No shell between the orchestrator and the process, so that SIGTERM arrives and requests in flight are completed.
ENTRYPOINT ["node", "--disable-proto=delete", "--max-semi-space-size=8", "--heap-growing-percent=100", "services/launch/start.js"]
