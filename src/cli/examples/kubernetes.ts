/** Manifests for Kubernetes: API servers and workers that can be lost one at a time, without PostgreSQL itself. */
export const KUBERNETES = `# API servers and workers on Kubernetes. All that they know is in PostgreSQL, which is not part of this file: let an
# operator run it, such as CloudNativePG (a Cluster of 3 instances with spec.postgresql.synchronous of method any and
# number 1), or use a managed server with a synchronous standby. Grant the role of the store pg_monitor.
apiVersion: v1
kind: Secret
metadata: { name: cooler-reports }
stringData:
  # With commas between several servers; the service cooler-db-rw of CloudNativePG follows the primary by itself.
  COOLER_STORE: postgres://cooler:PASSWORD@cooler-db-rw:5432/cooler
  # One queue for all workers. Without it leave the line out: workers then follow timers of their own.
  REDIS_URL: redis://redis:6379
  # Entries of keys that \`cooler key\` makes.
  COOLER_API_KEYS: '[]'
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: cooler-api, labels: { app: cooler-api } }
spec:
  replicas: 2
  selector: { matchLabels: { app: cooler-api } }
  template:
    metadata:
      labels: { app: cooler-api }
      annotations: { prometheus.io/scrape: 'true', prometheus.io/port: '8080' }
    spec:
      # What is in hand is finished on SIGTERM.
      terminationGracePeriodSeconds: 90
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector: { matchLabels: { app: cooler-api } }
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: RuntimeDefault } }
      containers:
        - name: api
          image: cooler-reports:latest
          args: [node, dist/src/cli.js, serve]
          env:
            # Events land before they are acknowledged: a 202 is then as durable as PostgreSQL.
            - { name: COOLER_QUEUE, value: direct }
            - { name: HOST, value: 0.0.0.0 }
            - { name: PORT, value: '8080' }
            - { name: COOLER_STORE, valueFrom: { secretKeyRef: { name: cooler-reports, key: COOLER_STORE } } }
            - { name: COOLER_API_KEYS, valueFrom: { secretKeyRef: { name: cooler-reports, key: COOLER_API_KEYS } } }
          ports: [{ name: http, containerPort: 8080 }]
          # The first start makes the store, which may take a while where PostgreSQL is not there yet.
          startupProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 2, failureThreshold: 60 }
          # Answers as long as the process does: a database that is away must not restart every pod.
          livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 5 }
          readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, timeoutSeconds: 5 }
          # Time for the Service to send no more requests here.
          lifecycle: { preStop: { exec: { command: [sleep, '5'] } } }
          resources: { requests: { cpu: 500m, memory: 512Mi }, limits: { memory: 2Gi } }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts: [{ name: tmp, mountPath: /tmp }]
      volumes: [{ name: tmp, emptyDir: {} }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: cooler-worker, labels: { app: cooler-worker } }
spec:
  replicas: 2
  selector: { matchLabels: { app: cooler-worker } }
  template:
    metadata: { labels: { app: cooler-worker } }
    spec:
      terminationGracePeriodSeconds: 90
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector: { matchLabels: { app: cooler-worker } }
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: RuntimeDefault } }
      containers:
        # It has no port to ask, and no probes: it ends by itself where it cannot go on.
        - name: worker
          image: cooler-reports:latest
          args: [node, dist/src/cli.js, work]
          env:
            - { name: COOLER_THREADS, value: '2' }
            - { name: COOLER_STORE, valueFrom: { secretKeyRef: { name: cooler-reports, key: COOLER_STORE } } }
            - { name: REDIS_URL, valueFrom: { secretKeyRef: { name: cooler-reports, key: REDIS_URL, optional: true } } }
          resources: { requests: { cpu: '2', memory: 1Gi }, limits: { memory: 4Gi } }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts: [{ name: tmp, mountPath: /tmp }]
      volumes: [{ name: tmp, emptyDir: {} }]
---
apiVersion: v1
kind: Service
metadata: { name: cooler-api }
spec:
  selector: { app: cooler-api }
  ports: [{ name: http, port: 80, targetPort: http }]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: cooler-api }
spec: { minAvailable: 1, selector: { matchLabels: { app: cooler-api } } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: cooler-worker }
spec: { minAvailable: 1, selector: { matchLabels: { app: cooler-worker } } }
`
