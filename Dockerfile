FROM node:24-slim AS build
WORKDIR /app
# Behind a proxy with a certificate authority of its own: docker build --secret id=ca,src=/etc/ssl/certs/company.pem
ENV NODE_EXTRA_CA_CERTS=/run/secrets/ca
COPY package.json package-lock.json ./
RUN --mount=type=secret,id=ca npm ci --ignore-scripts
COPY . .
RUN --mount=type=secret,id=ca npm run release -- --folder /release

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build /release ./
# Also for any other uid in group 0, as on OpenShift.
RUN mkdir data && chown node:0 data && chmod 770 data
VOLUME /app/data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "dist/src/cli.js", "health"]
# Half of the default for what is young in the heap: a start fills it, and nothing at rest empties it.
CMD ["node", "--max-semi-space-size=8", "dist/src/main.js"]
