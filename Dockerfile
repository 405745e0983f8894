# Two images. The last stage is for workers, receivers and commands; `sandbox` has the platform's sandbox as well, with
# the libraries for pictures, videos and PDFs that only it needs. glibc: Temporal's core has no build for musl.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY . .
# `prepare` compiles the program and bundles the workflows.
RUN npm ci

FROM build AS sandbox-modules
RUN npm prune --omit=dev --ignore-scripts

# Where there is no `packages`, the lock installs the program alone.
FROM node:22-bookworm-slim AS program-modules
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:22-bookworm-slim AS program
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates tini \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/dist dist
COPY --from=build /app/pipelines pipelines
RUN ln -s /app/dist/program/cli/main.js /usr/local/bin/renderline \
  && mkdir /data && chown node:node /data
USER node
# tini passes signals on, so that `docker stop` is a graceful one.
ENTRYPOINT ["tini", "--", "renderline"]

FROM program AS sandbox
COPY --from=sandbox-modules /app/node_modules node_modules
COPY --from=build /app/packages/sandbox/package.json packages/sandbox/
COPY --from=build /app/packages/sandbox/dist packages/sandbox/dist
CMD ["sandbox", "--host", "0.0.0.0"]

FROM program
COPY --from=program-modules /app/node_modules node_modules
CMD ["worker", "--health-port", "8081"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8081/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
