# Two images. The last stage is for workers, receivers and commands. The stage `sandbox` also contains the platform's
# sandbox, and the libraries for pictures, videos and PDFs that only the sandbox needs. Both use glibc, because Temporal's
# core has no build for musl. Packages have their own layers, which are rebuilt only when the lock file changes.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/sandbox/package.json packages/sandbox/
# `prepare` would start the build here, which is a separate step.
RUN npm pkg delete scripts.prepare && npm ci --ignore-scripts

FROM packages AS build
COPY . .
RUN npm run build \
  && rm -rf dist/bench dist/scripts \
  && find dist packages/sandbox/dist -name '*.map' ! -path 'dist/program/*' -delete \
  && find dist packages/sandbox/dist \( -name '*.d.ts' -o -name '*.tsbuildinfo' \) -delete

FROM packages AS sandbox-modules
COPY deploy/leave-out.sh /
RUN npm prune --omit=dev --ignore-scripts && sh /leave-out.sh node_modules

# Without the folder `packages`, the lock file installs only the program.
FROM node:24-bookworm-slim AS program-modules
WORKDIR /app
COPY package.json package-lock.json ./
COPY deploy/leave-out.sh /
RUN npm ci --omit=dev --ignore-scripts && sh /leave-out.sh node_modules

FROM node:24-bookworm-slim AS base
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates tini \
  && rm -rf /var/lib/apt/lists/*
# Lets modules of a team import `renderline/plugin` and others, wherever the modules are mounted.
RUN ln -s /app/dist/program/cli/main.js /usr/local/bin/renderline \
  && mkdir /node_modules /data /sandbox && ln -s /app /node_modules/renderline \
  && chown node:node /data /sandbox
COPY --chmod=755 deploy/healthy.sh /usr/local/bin/healthy
ENV NODE_ENV=production RENDERLINE_HEALTH_PORT=8081
WORKDIR /app
USER node
# tini forwards signals, so that `docker stop` stops gracefully.
ENTRYPOINT ["tini", "--", "renderline"]

# The list of the contents of each image, for vulnerability scanners.
FROM base AS sandbox-list
COPY package.json package-lock.json ./
COPY deploy/image-sbom.mjs /
COPY --from=sandbox-modules /app/node_modules node_modules
RUN node /image-sbom.mjs > /tmp/sbom.cdx.json

FROM base AS program-list
COPY package.json package-lock.json ./
COPY deploy/image-sbom.mjs /
COPY --from=program-modules /app/node_modules node_modules
RUN node /image-sbom.mjs > /tmp/sbom.cdx.json

FROM base AS sandbox
COPY --from=sandbox-list /tmp/sbom.cdx.json /usr/share/doc/renderline/
COPY --from=sandbox-modules /app/node_modules node_modules
COPY --from=build /app/packages/sandbox/package.json packages/sandbox/
COPY --from=build /app/packages/sandbox/dist packages/sandbox/dist
COPY --from=build /app/package.json ./
COPY --from=build /app/pipelines pipelines
COPY --from=build /app/dist dist
CMD ["sandbox", "--host", "0.0.0.0"]
HEALTHCHECK --interval=10s --timeout=10s --start-period=30s --retries=3 CMD ["healthy", "4010", "/_page/style.css"]

FROM base
COPY --from=program-list /tmp/sbom.cdx.json /usr/share/doc/renderline/
COPY --from=program-modules /app/node_modules node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/pipelines pipelines
COPY --from=build /app/dist dist
CMD ["worker"]
HEALTHCHECK --interval=10s --timeout=10s --start-period=30s --retries=3 CMD ["healthy"]
