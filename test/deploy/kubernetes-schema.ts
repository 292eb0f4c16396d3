import { z } from 'zod/v4'

/**
 * The part of Kubernetes' API that docs/deploy/kubernetes uses, and what a hardened pod needs of it. Every object is strict:
 * the server ignores a member with a slip in its name, and then the pod is not what its file says. (The published schemas do not
 * refuse unknown members, and the packages that have them want a newer Node than the tests.)
 */
const labels = z.record(z.string().regex(/^[a-z0-9./-]+$/), z.string())
const named = z.strictObject({ name: z.string(), labels: labels.optional() })
const seconds = z.int().positive()

const container = {
  name: z.string(),
  image: z.literal('portico'),
  args: z.array(z.string()).min(1),
  envFrom: z.tuple([z.strictObject({ configMapRef: z.strictObject({ name: z.literal('portico') }) })]),
  volumeMounts: z.array(
    z.strictObject({ name: z.string(), mountPath: z.string().startsWith('/'), readOnly: z.literal(true) }),
  ),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
}

const probeOf = (path: '/healthz' | '/readyz') =>
  z.strictObject({
    httpGet: z.strictObject({ path: z.literal(path), port: z.string() }),
    periodSeconds: seconds,
    timeoutSeconds: seconds.optional(),
    failureThreshold: seconds,
  })

const amounts = { cpu: z.string().regex(/^\d+m$/), memory: z.string().regex(/^\d+Mi$/) }

const podSpec = z.strictObject({
  automountServiceAccountToken: z.literal(false),
  terminationGracePeriodSeconds: seconds,
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int().positive(),
    runAsGroup: z.int().positive(),
    fsGroup: z.int().positive(),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  topologySpreadConstraints: z.array(
    z.strictObject({
      maxSkew: z.int().positive(),
      topologyKey: z.literal('kubernetes.io/hostname'),
      whenUnsatisfiable: z.literal('ScheduleAnyway'),
      labelSelector: z.strictObject({ matchLabels: labels }),
    }),
  ),
  initContainers: z.array(z.strictObject(container)).optional(),
  containers: z.tuple([
    z.strictObject({
      ...container,
      ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int().positive() })),
      lifecycle: z
        .strictObject({
          preStop: z.strictObject({
            exec: z.strictObject({
              command: z.tuple([z.literal('sleep'), z.string().regex(/^\d+$/)]),
            }),
          }),
        })
        .optional(),
      startupProbe: probeOf('/healthz'),
      readinessProbe: probeOf('/readyz'),
      livenessProbe: probeOf('/healthz'),
      resources: z.strictObject({
        requests: z.strictObject(amounts),
        limits: z.strictObject({ memory: amounts.memory }),
      }),
    }),
  ]),
  volumes: z.array(
    z.strictObject({
      name: z.string(),
      secret: z.strictObject({ secretName: z.string(), defaultMode: z.literal(0o440) }),
    }),
  ),
})

export const Deployment = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  metadata: named,
  spec: z.strictObject({
    replicas: z.int().min(2),
    selector: z.strictObject({ matchLabels: labels }),
    strategy: z.strictObject({
      rollingUpdate: z.strictObject({ maxSurge: z.int().positive(), maxUnavailable: z.literal(0) }),
    }),
    template: z.strictObject({
      metadata: z.strictObject({ labels, annotations: z.record(z.string(), z.string()) }),
      spec: podSpec,
    }),
  }),
})

export const Service = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata: named,
  spec: z.strictObject({
    selector: labels,
    ports: z.array(z.strictObject({ name: z.string(), port: z.int().positive(), targetPort: z.string() })),
  }),
})

export const PodDisruptionBudget = z.strictObject({
  apiVersion: z.literal('policy/v1'),
  kind: z.literal('PodDisruptionBudget'),
  metadata: named,
  spec: z.strictObject({
    maxUnavailable: z.literal(1),
    selector: z.strictObject({ matchLabels: labels }),
  }),
})

const Namespace = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Namespace'),
  metadata: named,
})

export const Kustomization = z.strictObject({
  apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
  kind: z.literal('Kustomization'),
  namespace: z.string(),
  resources: z.array(z.string()),
  images: z.array(z.strictObject({ name: z.literal('portico'), newName: z.string(), newTag: z.string() })),
  configMapGenerator: z.tuple([
    z.strictObject({ name: z.literal('portico'), literals: z.array(z.string().regex(/^[A-Z_]+=./)) }),
  ]),
})

export const Manifest = z.discriminatedUnion('kind', [Deployment, Service, PodDisruptionBudget, Namespace])
