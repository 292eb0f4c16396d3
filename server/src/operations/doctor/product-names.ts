import { defaultProductName } from '../../platform/config/variables.js'
import { consoleAccountDomain } from '../../platform/console-account.js'
import { maxNamed, type Finding, type Reader } from './finding.js'

/** Accounts whose users read the name of this software on pages and in mails, because nobody has chosen another one. */
export async function examineProductNames({ db, config }: Reader): Promise<Finding[]> {
  const check = 'Product names'
  const isNamed = config.productName !== defaultProductName
  if (isNamed || !config.isProduction)
    return [{ check, ok: true, detail: `an account without one is called ${config.productName}` }]
  const unnamed = await db
    .selectFrom('accounts')
    .where('product_name', 'is', null)
    .where('domain', '<>', consoleAccountDomain)
    .select('domain')
    .orderBy('inserted_at')
    .orderBy('id')
    .limit(maxNamed)
    .execute()
  if (unnamed.length === 0) return [{ check, ok: true, detail: 'every account has one' }]
  return unnamed.map(({ domain }) => ({
    check,
    ok: true,
    detail: `pages and mails of ${domain} call the product ${defaultProductName}`,
    remedy: `run portico account set ${domain} --product-name <name>, or set PRODUCT_NAME`,
  }))
}
