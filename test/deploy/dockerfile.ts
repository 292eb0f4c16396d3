/** One line of a stage that changes its files: COPY, RUN or WORKDIR. */
export interface DockerStep {
  readonly kind: 'COPY' | 'RUN' | 'WORKDIR'
  /** The stage that COPY takes from; undefined: the folder that is built. */
  readonly from?: string | undefined
  /** Of RUN the line as it stands, of the others its words. */
  readonly args: readonly string[]
}

export interface Dockerfile {
  readonly stages: readonly {
    readonly base: string
    readonly name: string
    readonly steps: readonly DockerStep[]
  }[]
  /** Of the last stage: variables, user, entry point with its default arguments, and healthcheck. */
  readonly variables: Readonly<Record<string, string>>
  readonly user: string
  readonly command: readonly string[]
  readonly healthcheck: readonly string[]
}

/**
 * Reads a Dockerfile of the instructions that ours has, and no other.
 *
 * @throws Error for an instruction that it does not know.
 */
export function readDockerfile(text: string): Dockerfile {
  const stages: { base: string; name: string; steps: DockerStep[] }[] = []
  let last = nothing()
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n')
  for (const line of lines.filter((each) => each !== '' && !each.startsWith('#'))) {
    const [, kind = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    const words = rest.split(' ')
    const steps = stages.at(-1)?.steps ?? []
    if (kind === 'FROM') {
      const [base = '', , name = String(stages.length)] = words
      stages.push({ base, name, steps: [] })
      last = nothing()
    } else if (kind === 'COPY') {
      const [, from] = /^--from=(\S+) /.exec(rest) ?? []
      steps.push({ kind, from, args: from === undefined ? words : words.slice(1) })
    } else if (kind === 'RUN') steps.push({ kind, args: [rest] })
    else if (kind === 'WORKDIR') steps.push({ kind, args: words })
    else if (kind === 'ENV')
      Object.assign(last.variables, Object.fromEntries(words.map((word) => word.split('='))))
    else if (kind === 'USER') last.user = rest
    else if (kind === 'ENTRYPOINT') last.entry = listOf(rest)
    else if (kind === 'CMD') last.args = listOf(rest)
    else if (kind === 'HEALTHCHECK') last.healthcheck = listOf(rest.replace(/^.*?CMD /, ''))
    else if (kind !== 'EXPOSE') throw new Error(`the test does not know the instruction ${line}`)
  }
  const { variables, user, entry, args, healthcheck } = last
  return { stages, variables, user, command: [...entry, ...args], healthcheck }
}

interface Last {
  variables: Record<string, string>
  user: string
  entry: string[]
  args: string[]
  healthcheck: string[]
}

function nothing(): Last {
  return { variables: {}, user: 'root', entry: [], args: [], healthcheck: [] }
}

/** The words of the exec form, which is JSON. */
function listOf(text: string): string[] {
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list)) throw new Error(`${text} is not in the exec form`)
  return list.map(String)
}
