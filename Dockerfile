# One image for worker, receiver and sandbox; the command says which. glibc: Temporal's core has no build for musl.
FROM node:22.23.3-bookworm-slim AS build
WORKDIR /app
COPY . .
# `prepare` compiles the program and bundles the workflows.
RUN npm ci && npm prune --omit=dev --ignore-scripts

FROM node:22.23.3-bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates tini \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/pipelines pipelines
RUN ln -s /app/dist/src/cli/main.js /usr/local/bin/renderline \
  && mkdir /data && chown node:node /data
USER node
# tini passes signals on, so that `docker stop` is a graceful one.
ENTRYPOINT ["tini", "--", "renderline"]
CMD ["worker", "--health-port", "8081"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8081/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
