/** A compose file: what it takes to go on when one container of each kind is lost. */
export const COMPOSE = `# Two API servers, two workers, PostgreSQL with a synchronous standby, and Redis. In a checkout with a Containerfile
# (cooler example container > Containerfile), a file api-keys.json (cooler key) and a file .env with a line for each of
# POSTGRES_PASSWORD, REPLICATION_PASSWORD and STORE_PASSWORD (letters and digits alone: openssl rand -hex 16):
#   docker compose up --wait
# On one machine this survives the loss of a container; for that of a machine, put the parts of each pair on two.
name: cooler-reports

x-program: &program
  image: cooler-reports
  build: { context: ., dockerfile: Containerfile }
  restart: unless-stopped
  # What is in hand is finished on SIGTERM.
  stop_grace_period: 90s

# Both servers are named: whichever takes writes is used, so that a failover needs no other setting.
x-store: &store
  COOLER_STORE: postgres://cooler:\${STORE_PASSWORD:?}@postgres:5432,standby:5432/cooler

x-database: &database
  postgres: { condition: service_healthy }
  standby: { condition: service_healthy }

x-api: &api
  <<: *program
  depends_on: *database
  command: [node, dist/src/cli.js, serve]
  # Events land before they are acknowledged: a 202 is then as durable as PostgreSQL and its standby.
  environment: { <<: *store, COOLER_QUEUE: direct, COOLER_API_KEYS: /run/secrets/api-keys }
  secrets: [api-keys]

x-worker: &worker
  <<: *program
  depends_on: { <<: *database, redis: { condition: service_healthy } }
  command: [node, dist/src/cli.js, work]
  # Through Redis the workers share their schedule, and take what other producers enqueue.
  environment: { <<: *store, REDIS_URL: 'redis://redis:6379' }
  # Workers have no port to ask.
  healthcheck: { disable: true }

services:
  # Put a proxy with TLS before both.
  api-1:
    <<: *api
    ports: ['8081:8080']
  api-2:
    <<: *api
    ports: ['8082:8080']
  worker-1: *worker
  worker-2: *worker

  postgres:
    image: postgres:17
    restart: unless-stopped
    environment:
      PGDATA: /var/lib/postgresql/data/primary
      POSTGRES_PASSWORD: \${POSTGRES_PASSWORD:?}
      REPLICATION_PASSWORD: \${REPLICATION_PASSWORD:?}
      STORE_PASSWORD: \${STORE_PASSWORD:?}
    # The log that a standby needs when it is back; one that stays away for longer is made anew: remove its volume.
    command: [postgres, -c, wal_keep_size=1GB]
    configs: [{ source: roles, target: /docker-entrypoint-initdb.d/roles.sh }]
    volumes: ['primary:/var/lib/postgresql/data']
    healthcheck: { test: [CMD, pg_isready, --host=127.0.0.1, --username=postgres], interval: 5s, retries: 12 }
    stop_grace_period: 60s

  # To fail over: make sure that postgres is stopped for good, then
  #   docker compose exec standby pg_ctl promote
  standby:
    image: postgres:17
    user: postgres
    restart: unless-stopped
    depends_on: { postgres: { condition: service_healthy } }
    environment:
      PGDATA: /var/lib/postgresql/data/standby
      PGHOST: postgres
      PGUSER: replicator
      PGPASSWORD: \${REPLICATION_PASSWORD:?}
    # Once promoted, it must not wait for a standby that there is not: so the setting is taken back here.
    entrypoint:
      - sh
      - -ec
      - |
        if [ ! -d "$$PGDATA" ]; then
          rm -rf "$$PGDATA.part"
          pg_basebackup --pgdata="$$PGDATA.part" --write-recovery-conf --checkpoint=fast
          mv "$$PGDATA.part" "$$PGDATA"
        fi
        exec postgres -c synchronous_standby_names=
    volumes: ['standby:/var/lib/postgresql/data']
    healthcheck: { test: [CMD, pg_isready, --host=127.0.0.1], interval: 5s, retries: 60 }
    stop_grace_period: 60s

  redis:
    image: redis:7
    restart: unless-stopped
    command: [redis-server, --appendonly, 'yes', --maxmemory, 512mb, --maxmemory-policy, noeviction]
    volumes: ['redis:/data']
    healthcheck: { test: [CMD, redis-cli, ping], interval: 5s, retries: 12 }

configs:
  # Runs once, when the database is made. ALTER SYSTEM comes last and counts from the next start on: what commits before
  # that would wait for a standby that cannot be there yet.
  roles:
    content: |
      psql --set=ON_ERROR_STOP=1 --username=postgres <<SQL
      CREATE ROLE replicator REPLICATION LOGIN PASSWORD '$$REPLICATION_PASSWORD';
      CREATE ROLE cooler LOGIN PASSWORD '$$STORE_PASSWORD';
      GRANT pg_monitor TO cooler;
      CREATE DATABASE cooler OWNER cooler;
      ALTER SYSTEM SET synchronous_standby_names = '*';
      SQL
      echo 'host replication replicator all scram-sha-256' >> "$$PGDATA/pg_hba.conf"

secrets:
  api-keys: { file: ./api-keys.json }

volumes:
  primary:
  standby:
  redis:
`
