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
          'Open the enterprise application by which your users sign in here, or create one by **New application**, **Create your own application**, **Integrate any other application you don’t find in the gallery (Non-gallery)**. Then:',
          'Ouvrez l’application d’entreprise par laquelle vos utilisateurs se connectent ici, ou créez-en une par **New application**, **Create your own application**, **Integrate any other application you don’t find in the gallery (Non-gallery)**. Puis\u00a0:',
        ),
        path('Entra ID', 'Enterprise apps', yours.app, 'Provisioning', 'New configuration'),
        warn(
          'An application that was made under **App registrations** cannot provision. Create an enterprise application beside it.',
          'Une application créée sous **App registrations** ne peut pas provisionner. Créez une application d’entreprise à côté.',
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
          'Enter the secret of this page as **Secret token**, press **Test connection**, then **Create**.',
          'Saisissez le secret de cette page comme **Secret token**, cliquez sur **Test connection**, puis **Create**.',
        ),
        text(
          'What is behind the question mark has Entra keep closer to the standard. It works without, too, as it does on demand, where Entra leaves it out.',
          'Ce qui suit le point d’interrogation rapproche Entra de la norme. Cela fonctionne aussi sans, comme à la demande, où Entra n’en tient pas compte.',
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
          'By default **externalId** is filled from **mailNickname**, which changes with a name. Change it to **objectId** before the first cycle.',
          'Par défaut, **externalId** est rempli depuis **mailNickname**, qui change avec un nom. Mettez **objectId** avant le premier cycle.',
        ),
        text(
          'Users without a mailbox have no **mail**; then the user name is their address, if it is one.',
          'Les utilisateurs sans boîte aux lettres n’ont pas de **mail**\u00a0; leur nom d’utilisateur est alors leur adresse, s’il en est une.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Assign and start', 'Affecter et démarrer'),
      blocks: [
        path(yours.app, 'Users and groups', 'Add user/group'),
        text(
          'Then go back to **Provisioning**, try one person by **Provision on demand**, and press **Start provisioning** under **Overview**.',
          'Revenez ensuite à **Provisioning**, essayez une personne par **Provision on demand**, puis **Start provisioning** sous **Overview**.',
        ),
        warn(
          'The first cycle may take hours, later ones come every 40 minutes. Whoever has to be out at once is provisioned on demand; or ask the people who invited you to switch them off.',
          'Le premier cycle peut durer des heures, les suivants arrivent toutes les 40 minutes. Qui doit sortir tout de suite se provisionne à la demande\u00a0; ou demandez sa désactivation à qui vous a invité.',
        ),
      ],
    },
  ],
  quirks: [
    words(
      'Members of a group within an assigned group are not sent: Entra does not look into nested groups.',
      'Les membres d’un groupe contenu dans un groupe affecté ne sont pas envoyés\u00a0: Entra ne regarde pas dans les groupes imbriqués.',
    ),
    words(
      'Who is no longer assigned is deactivated; thirty days after a user is deleted in Entra, Entra deletes them here.',
      'Qui n’est plus affecté est désactivé\u00a0; trente jours après une suppression dans Entra, Entra supprime l’utilisateur ici.',
    ),
    words(
      'After many refusals Entra puts the application into **quarantine** and asks ever more rarely, down to once a day; after four weeks it stops. Mend what the requests below say, then **Restart provisioning**.',
      'Après de nombreux refus, Entra met l’application en **quarantine** et demande de plus en plus rarement, jusqu’à une fois par jour\u00a0; après quatre semaines, il s’arrête. Corrigez ce que disent les requêtes ci-dessous, puis **Restart provisioning**.',
    ),
  ],
}
