import { contract } from '@portico/contract/contract'
import { routes, type Route } from '@portico/contract/walk'
import type { Field } from './field.js'
import { setMember } from './form-values.js'
import type { ScreenTexts } from './texts/en.js'

const publicRoutes = new Set(routes(contract).map(({ name }) => name))

interface ApiCallProps {
  readonly texts: ScreenTexts
  readonly baseUrl: string
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  readonly query?: string
  /** The members that a form would send, with values that stand for those of the user. */
  readonly members?: readonly Field[]
}

/** How a program does what the page does: the same operation by the public API. */
export function ApiCall({ texts, route, ...call }: ApiCallProps) {
  return (
    <details class="api-call">
      <summary>{texts.apiCall}</summary>
      {publicRoutes.has(route.name) ? <pre>{curlOf(route, call)}</pre> : <p>{texts.noApiCall}</p>}
    </details>
  )
}

/** The command line of a call; the token of an API key is in the variable TOKEN. */
export function curlOf(
  { method, path }: Route,
  { baseUrl, params, query = '', members = [] }: Omit<ApiCallProps, 'texts' | 'route'>,
): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const url = `${baseUrl}${filled}${query === '' ? '' : `?${query}`}`
  const body = {}
  for (const field of members) setMember(body, field.path, standIn(field))
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${url}'`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(members.length === 0
      ? []
      : [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(body, null, 2)}'`]),
  ].join(' \\\n  ')
}

/** A value in place of the one that would be entered. */
function standIn({ kind, options, min }: Field): unknown {
  const [first = '…'] = options
  switch (kind) {
    case 'choice':
      return first
    case 'choices':
    case 'lines':
      return [first]
    case 'flag':
      return true
    case 'integer':
      return min ?? 0
    default:
      return '…'
  }
}
