# syntax=docker/dockerfile:1
# svc as a container: `docker build -t svc .`, then see compose.yaml and docs/operations.md.

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22-bookworm-slim
ENV NODE_ENV=production SVC_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json /app/oclif.manifest.json /app/openapi.json ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/plugin-manager ./plugin-manager
COPY --from=build /app/types ./types
COPY --from=build /app/dist ./dist
COPY --from=build /app/node_modules ./node_modules
RUN ln -s /app/bin/run.js /usr/local/bin/svc && install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
# The service, and the metrics port, which must not be public.
EXPOSE 4010 9090
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4010/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["svc"]
CMD ["serve", "--host", "0.0.0.0", "--metrics-port", "9090", "--json"]
