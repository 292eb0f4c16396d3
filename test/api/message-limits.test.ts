import { countSms } from '@portico/server/sms-limits'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail, anything, givenOf } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { linkGivenOf } from './magic-link-given.js'

const minute = 60

let service: Service

beforeAll(async () => {
  // What the harness raises is as it is shipped here.
  service = await startService({
    variables: {
      MAILS_PER_ADDRESS: '',
      SANDBOX_MAIL: 'send',
      SMS_PER_HOUR: '',
      SMS_PER_ORGANIZATION_PER_HOUR: '',
    },
  })
})

describe('a mail with a link', () => {
  async function givenAddress() {
    const client = await service.client()
    const { org_domain, user } = await linkGivenOf(service, client).scene()
    const token = await service.token()
    return { org_domain, user_email: user.email, token }
  }

  type Asked = Awaited<ReturnType<typeof givenAddress>>

  function ask(
    { token, ...body }: Asked & { send_email?: boolean },
    { baseUrl }: Pick<Service, 'baseUrl'> = service,
  ): Promise<Response> {
    return fetch(`${baseUrl}/api/v2/magic-link-challenge`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  async function statuses(count: number, asked: Asked): Promise<number[]> {
    const all: number[] = []
    for (let number = 0; number < count; number++) all.push((await ask(asked)).status)
    return all
  }

  test('201: says beside the limit of the key how many more there may be', async () => {
    const asked = await givenAddress()

    const { headers } = await ask(asked)

    expect(headers.get('RateLimit-Policy')).toMatch(/^"api";q=1000000;w=60, "mail";q=3;w=900$/)
    expect(headers.get('RateLimit')).toMatch(/^"api";r=\d+;t=\d+, "mail";r=2;t=(900|899)$/)
    expect(headers.get('Retry-After')).toBeNull()
    await ask(asked)
    const last = await ask(asked)
    expect([last.status, last.headers.get('RateLimit')]).toEqual([201, expect.stringContaining('"mail";r=0')])
    expect(Number(last.headers.get('Retry-After'))).toBeGreaterThan(14 * minute)
  })

  test('429: a fourth within 15 minutes is refused, and leaves nothing behind', async () => {
    const asked = await givenAddress()
    await statuses(3, asked)
    const count = 'select count(*)::int from'
    const written = `select (${count} magic_link_challenges), (${count} events), (${count} jobs), (${count} log_events)`
    const before = await service.query(written)

    const refused = await ask(asked)

    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: 'rate_limited' } }])
    expect(refused.headers.get('RateLimit-Policy')).toContain(', "mail";q=3;w=900')
    expect(refused.headers.get('RateLimit')).toContain(', "mail";r=0;t=')
    const seconds = Number(refused.headers.get('Retry-After'))
    expect(seconds).toBeGreaterThan(14 * minute)
    expect(await service.query(written)).toEqual(before)
    await service.clock.advance(seconds)
    expect(await statuses(1, asked)).toEqual([201])
  })

  test('429: an address without a user is counted like one with', async () => {
    const asked = { ...(await givenAddress()), user_email: anyEmail() }

    expect(await statuses(4, asked)).toEqual([404, 404, 404, 429])
  })

  test('429: of 50 asked for at once, three are sent', async () => {
    const asked = await givenAddress()

    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(asked)))

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(47)
  })

  test('201: links that the caller sends are not counted', async () => {
    const asked = await givenAddress()
    await statuses(3, asked)

    const { status, headers } = await ask({ ...asked, send_email: false })

    expect([status, headers.get('RateLimit')]).toEqual([201, expect.not.stringContaining('mail')])
  })

  longTest(
    '201: where the sandbox keeps its mail, thirty within 15 minutes, and three in production',
    async () => {
      const keeping = await startService({ variables: { MAILS_PER_ADDRESS: '' } })
      const policyOf = async (environment: 'sandbox' | 'production') => {
        const given = givenOf(await keeping.client({ environment }))
        const { domain: org_domain } = await keeping.given.organization()
        await given.application({ org_domain, organization_domain_scope: org_domain })
        const { email: user_email } = await given.user({ org_domain })
        const token = await keeping.token({ environment })
        const answer = await ask({ org_domain, user_email, token }, keeping)
        return [answer.status, answer.headers.get('RateLimit-Policy')?.split(', ')[1]]
      }

      expect(await policyOf('sandbox')).toEqual([201, '"mail";q=30;w=900'])
      expect(await policyOf('production')).toEqual([201, '"mail";q=3;w=900'])
    },
  )

  test('201: another address of the organization, and the same at another one, have their own', async () => {
    const asked = await givenAddress()
    await statuses(4, asked)
    const given = givenOf(await service.client())
    const { email } = await given.user({ org_domain: asked.org_domain })
    const other = await givenAddress()
    await given.user({ org_domain: other.org_domain, email: asked.user_email })

    expect(await statuses(1, { ...asked, user_email: email })).toEqual([201])
    expect(await statuses(1, { ...asked, org_domain: other.org_domain })).toEqual([201])
  })
})

describe('a text message', () => {
  type Message = Parameters<typeof countSms>[1]

  /** To a user and a number that nobody has written to yet. */
  function someMessage(members: Partial<Message> = {}): Message {
    return {
      accountId: service.account.id,
      environment: 'sandbox',
      domain: `org-${anything()}`,
      userId: anything(),
      phoneNumber: `+33${anything()}`,
      ...members,
    }
  }

  function take(message: Message) {
    return countSms(service.deps, message)
  }

  /** How often it may be sent before it is refused. */
  async function leftOf(message: Message): Promise<number> {
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => take(message)))
    return answers.filter(({ status }) => status === 'fulfilled').length
  }

  const refused = { code: 'rate_limited', limit: { name: 'sms', remaining: 0 } }

  test('is one of three an hour to a user, whatever their number', async () => {
    const { userId, ...organization } = someMessage()
    const toUser = () => take({ ...someMessage(organization), userId, phoneNumber: `+33${anything()}` })

    const left = [await toUser(), await toUser(), await toUser()].map(({ remaining }) => remaining)

    expect(left).toEqual([2, 1, 0])
    await expect(toUser()).rejects.toMatchObject(refused)
    await service.clock.advance(60 * minute)
    expect(await toUser()).toMatchObject({ name: 'sms', limit: 3, windowSeconds: 3600, remaining: 2 })
  })

  test('is one of three an hour to a number, at whichever organizations and users of the account', async () => {
    const { phoneNumber } = someMessage()
    const toNumber = (members: Partial<Message> = {}) => take(someMessage({ phoneNumber, ...members }))

    const left = [await toNumber(), await toNumber(), await toNumber()].map(({ remaining }) => remaining)

    expect(left).toEqual([2, 1, 0])
    await expect(toNumber()).rejects.toMatchObject(refused)
    expect(await toNumber({ environment: 'production' })).toMatchObject({ remaining: 2 })
    const accountId = '0190c8c2-0000-7000-8000-000000000000'
    expect(await toNumber({ accountId })).toMatchObject({ remaining: 2 })
  })

  test('is one of 200 an hour of an organization; what its users are refused does not count', async () => {
    const { domain, userId } = someMessage()
    expect(await leftOf(someMessage({ domain, userId }))).toBe(3)
    const others = await Promise.allSettled(
      Array.from({ length: 200 }, (_, number) => take(someMessage({ domain, userId: `${number}` }))),
    )

    const over = others.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    )
    expect(over).toHaveLength(3)
    expect(over[0]).toMatchObject({
      code: 'rate_limited',
      limit: { name: 'organization-sms', limit: 200, windowSeconds: 3600, remaining: 0 },
    })
    expect(await leftOf(someMessage({ domain, environment: 'production' }))).toBe(3)
    expect(await leftOf(someMessage())).toBe(3)
    await service.clock.advance(60 * minute)
    expect(await leftOf(someMessage({ domain }))).toBe(3)
  })
})
