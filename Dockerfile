# One image for every service: the command names the one that runs, such as `api`.
# For a build that can be repeated, give the base by digest: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /guildcal
COPY package.json package-lock.json .npmrc ./
# Without the optional ones: the embedded mongod and nats-server have no business in a container of a service.
RUN ["npm", "ci", "--omit=dev", "--omit=optional"]

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
LABEL org.opencontainers.image.title="guildcal" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /guildcal
COPY --from=dependencies /guildcal/node_modules node_modules
COPY package.json moleculer.config.ts LICENSE ./
COPY mixins mixins
COPY services services
# By number, so that an orchestrator can see that it is not root. Nothing is written: the root may be read-only.
USER 65532:65532
EXPOSE 3000 9100
# No shell between the orchestrator and the process: SIGTERM arrives, and what is under way is answered.
ENTRYPOINT ["node", "--disable-proto=delete", "--max-semi-space-size=8", "services/launch/start.js"]
