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

/** A Containerfile for a checkout: `podman build -f Containerfile -t cooler-reports .` */
export const CONTAINERFILE = `FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY src src
COPY jobs jobs
COPY schema schema
RUN npm ci && npm prune --omit=dev --ignore-scripts

FROM node:22-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 COOLER_STORE=/data/cooler.sqlite
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/schema schema
COPY --from=build /app/package.json ./
# The store: one volume, of one machine, written by one container at a time.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 8080
# Other addresses than loopback need COOLER_API_KEYS.
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
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
