import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

/** The files for Prometheus and Grafana. */
export const deployFiles = {
  rules: fileURLToPath(new URL('../../docs/deploy/prometheus-rules.yaml', import.meta.url)),
  dashboard: fileURLToPath(new URL('../../docs/deploy/grafana-dashboard.json', import.meta.url)),
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly targets?: readonly { readonly expr: string }[]
  }[]
}

/** An expression of Prometheus, with the name of its alert or panel. */
interface Expression {
  readonly from: 'rules' | 'dashboard'
  readonly name: string
  readonly expr: string
}

/** Every expression of the alert rules and of the dashboard. */
export function expressionsOfDeployFiles(): Expression[] {
  // The two files belong to this repository, and other tests validate them with their programs.
  const rules = parse(readFileSync(deployFiles.rules, 'utf8')) as Rules
  const dashboard = JSON.parse(readFileSync(deployFiles.dashboard, 'utf8')) as Dashboard
  return [
    ...rules.groups.flatMap((group) =>
      group.rules.map(({ alert, expr }) => ({ from: 'rules' as const, name: alert, expr })),
    ),
    ...dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ from: 'dashboard' as const, name: title, expr })),
    ),
  ]
}

const grouping = /\b(by|without|on|ignoring)\s*\([^)]*\)/g
const notMetrics = /\{[^}]*\}|\[\w+\]|\b\w+\s*\(|\b(and|or|unless|bool)\b/g

/** The metrics in an expression of Prometheus. */
export function metricsIn(expr: string): string[] {
  const bare = expr
    .replace(/"[^"]*"/g, '')
    .replace(grouping, '')
    .replace(notMetrics, ' ')
  return bare.match(/\b[a-z_:][\w:]*/gi) ?? []
}
