/**
 * Runs doctor with the settings of the unit below, which differ from those of a shell. Node.js itself reads the
 * settings file.
 */
export const DOCTOR_OF_UNIT = 'sudo node --env-file=/etc/cooler-reports.env /opt/cooler-reports/bin/cooler doctor'

/** A systemd unit for one machine, with the package installed by `npm install --global --prefix /opt/cooler-reports`. */
export const SYSTEMD_UNIT = `[Unit]
Description=cooler-reports
Documentation=http://127.0.0.1:8080/docs
After=network-online.target redis-server.service
Wants=network-online.target

[Service]
# All settings, one NAME=value a line, readable by root alone; at least
#   COOLER_STORE=/var/lib/cooler-reports/cooler.sqlite
# Look at the service with these very settings:
#   ${DOCTOR_OF_UNIT}
EnvironmentFile=/etc/cooler-reports.env
Environment=NODE_ENV=production
ExecStart=/usr/bin/node /opt/cooler-reports/bin/cooler start
Restart=on-failure
RestartSec=2
# What is in hand is finished on SIGTERM; nothing is lost where it is not.
TimeoutStopSec=90
LimitNOFILE=65536
User=cooler-reports
DynamicUser=yes
StateDirectory=cooler-reports
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
LockPersonality=yes
SystemCallFilter=@system-service

[Install]
WantedBy=multi-user.target
`

/**
 * A Containerfile for a checkout. Its first lines say how it is built and run; the port is that of `PORT`, for the
 * service and for the health check.
 */
export const CONTAINERFILE = `# cooler-reports in a container. With Docker, write docker for podman.
#
# Build, in a checkout of cooler-reports:
#   npm run -s cooler -- example container > Containerfile
#   podman build --format docker -t cooler-reports .
# (--format docker keeps the health check, which the default format of podman drops.)
#
# Make a key. It prints the key, which callers send, and its entry, which the service gets:
#   podman run --rm cooler-reports node dist/src/cli.js key operator --scope admin
#
# Run, with the store in the volume cooler-data. PORT is the port in the container, 8080 unless given:
#   podman run -d --name cooler-reports -e PORT=9000 -p 127.0.0.1:8080:9000 -v cooler-data:/data \\
#     -e COOLER_API_KEYS='[ENTRY]' cooler-reports
# The dashboard is then on http://127.0.0.1:8080/. To check the settings and the store:
#   podman exec cooler-reports node dist/src/cli.js doctor
#
# The build needs no compiler if npm can download the prebuilt better-sqlite3 from GitHub.

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json LICENSE ./
COPY src src
COPY jobs jobs
COPY schema schema
RUN npm ci && npm prune --omit=dev --ignore-scripts

FROM node:22-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 COOLER_STORE=/data/cooler.sqlite
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/schema schema
COPY --from=build /app/package.json /app/LICENSE ./
# The store: one volume, of one machine, written by one container at a time.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE $PORT
# Other addresses than loopback need COOLER_API_KEYS.
HEALTHCHECK CMD node -e "fetch('http://127.0.0.1:$PORT/healthz').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"
STOPSIGNAL SIGTERM
CMD ["node", "dist/src/cli.js", "start"]
`

/** The configuration with which Prometheus scrapes a service. */
export const PROMETHEUS_JOB = `scrape_configs:
  - job_name: cooler-reports
    scrape_interval: 30s
    # Where the service has keys: one of the scope read, for all devices (cooler key prometheus --scope read)
    # authorization: { credentials_file: /etc/prometheus/cooler-reports.key }
    static_configs:
      - targets: ['127.0.0.1:8080']
rule_files:
  - cooler-reports.rules.yml # cooler example alerts
`
