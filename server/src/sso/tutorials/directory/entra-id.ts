import { enterpriseUserSchema } from '@portico/contract/scim'
import { attributes, path, settings, snippet, text, warn, words, yours } from '../blocks.js'
import type { DirectoryTutorial } from '../tutorial.js'

export const entraIdDirectory: DirectoryTutorial = {
  id: 'entra_id',
  name: 'Microsoft Entra ID',
  mark: 'ME',
  minutes: 15,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'open',
      title: words('Open provisioning', 'Ouvrir le provisionnement'),
      blocks: [
        text(
          'Open the enterprise application that your users sign in with, or create one with **New application**, **Create your own application**, **Integrate any other application you don’t find in the gallery (Non-gallery)**. Then go to:',
          'Ouvrez l’application d’entreprise avec laquelle vos utilisateurs se connectent ici, ou créez-en une avec **New application**, **Create your own application**, **Integrate any other application you don’t find in the gallery (Non-gallery)**. Allez ensuite à\u00a0:',
        ),
        path('Entra ID', 'Enterprise apps', yours.app, 'Provisioning', 'New configuration'),
        warn(
          'An application that was created under **App registrations** does not support provisioning. Create an additional enterprise application.',
          'Une application créée sous **App registrations** ne prend pas en charge le provisionnement. Créez une application d’entreprise supplémentaire.',
        ),
      ],
    },
    {
      id: 'credentials',
      title: words('Connect Entra to us', 'Relier Entra à nous'),
      blocks: [
        settings(['Select authentication method', 'Bearer authentication']),
        snippet('Tenant URL', '{scim_base_url}?aadOptscim062020'),
        text(
          'Enter the secret from this page as **Secret token**, click **Test connection**, then **Create**.',
          'Saisissez le secret de cette page comme **Secret token**, cliquez sur **Test connection**, puis **Create**.',
        ),
        text(
          'The part after the question mark makes Entra follow the SCIM standard more closely. It also works without it: Entra leaves it out when it provisions on demand.',
          'La partie qui suit le point d’interrogation rapproche Entra de la norme SCIM. Cela fonctionne aussi sans elle\u00a0: Entra l’omet quand il provisionne à la demande.',
        ),
      ],
    },
    {
      id: 'mappings',
      title: words('Check the mappings', 'Vérifier les correspondances'),
      blocks: [
        path(yours.app, 'Provisioning', 'Attribute mapping', 'Provision Microsoft Entra ID Users'),
        attributes(
          ['userName', 'userPrincipalName'],
          ['active', 'Switch([IsSoftDeleted], , "False", "True", "True", "False")'],
          ['emails[type eq "work"].value', 'mail'],
          ['name.givenName', 'givenName'],
          ['name.familyName', 'surname'],
          ['externalId', 'objectId'],
        ),
        warn(
          'By default, **externalId** is filled from **mailNickname**, which can change when a person’s name changes. Use **objectId** instead, before the first cycle.',
          'Par défaut, **externalId** est rempli avec **mailNickname**, qui peut changer quand une personne change de nom. Utilisez plutôt **objectId**, avant le premier cycle.',
        ),
        text(
          'Users without a mailbox have no **mail**. We then use their user name, if it is an e-mail address.',
          'Les utilisateurs sans boîte aux lettres n’ont pas de **mail**\u00a0; nous utilisons alors leur nom d’utilisateur, si c’est une adresse e-mail.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Assign and start', 'Affecter et démarrer'),
      blocks: [
        path(yours.app, 'Users and groups', 'Add user/group'),
        text(
          'Then go back to **Provisioning**, try one user with **Provision on demand**, and click **Start provisioning** under **Overview**.',
          'Revenez ensuite à **Provisioning**, essayez avec un utilisateur par **Provision on demand**, puis **Start provisioning** sous **Overview**.',
        ),
        warn(
          'The first cycle can take hours; later ones run every 40 minutes. To remove a user immediately, provision them on demand, or ask the people who invited you to deactivate them.',
          'Le premier cycle peut durer des heures, les suivants ont lieu toutes les 40 minutes. Pour retirer un utilisateur immédiatement, provisionnez-le à la demande, ou demandez sa désactivation aux personnes qui vous ont invité.',
        ),
      ],
    },
  ],
  suggested: {
    blocks: [path(yours.app, 'Provisioning', 'Attribute mapping', 'Provision Microsoft Entra ID Users')],
    mappings: [
      ['displayName', 'displayName'],
      ['title', 'jobTitle'],
      [`${enterpriseUserSchema.id}:department`, 'department'],
      [`${enterpriseUserSchema.id}:employeeNumber`, 'employeeId'],
      [`${enterpriseUserSchema.id}:manager`, 'manager'],
      ['preferredLanguage', 'preferredLanguage'],
    ],
  },
  quirks: [
    words(
      'Members of nested groups are not sent: Entra does not support groups inside an assigned group.',
      'Les membres de groupes imbriqués ne sont pas envoyés\u00a0: Entra ne prend pas en charge les groupes contenus dans un groupe affecté.',
    ),
    words(
      'Users who are no longer assigned are deactivated. Entra deletes a user here 30 days after they were deleted in Entra.',
      'Un utilisateur qui n’est plus affecté est désactivé. Entra le supprime ici 30 jours après l’avoir supprimé chez lui.',
    ),
    words(
      'After many refused requests, Entra puts the application into **quarantine** and retries less and less often, down to once a day; after four weeks it stops. Fix the errors shown in the requests below, then click **Restart provisioning**.',
      'Après de nombreux refus, Entra met l’application en **quarantine** et réessaie de plus en plus rarement, jusqu’à une fois par jour\u00a0; après quatre semaines, il s’arrête. Corrigez les erreurs indiquées dans les requêtes ci-dessous, puis cliquez sur **Restart provisioning**.',
    ),
  ],
}
