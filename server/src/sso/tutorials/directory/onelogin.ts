import { copy, path, settings, text, warn, words, yours } from '../blocks.js'
import type { DirectoryTutorial } from '../tutorial.js'

export const oneloginDirectory: DirectoryTutorial = {
  id: 'onelogin',
  name: 'OneLogin',
  mark: '1L',
  minutes: 15,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Add the app', 'Ajouter l’application'),
      blocks: [
        path('Applications', 'Applications', 'Add App'),
        text(
          'Search for **SCIM Provisioner with SAML (SCIM v2 Core)**, open it, give it a name and click **Save**.',
          'Cherchez **SCIM Provisioner with SAML (SCIM v2 Core)**, ouvrez-la, donnez-lui un nom, puis **Save**.',
        ),
      ],
    },
    {
      id: 'connect',
      title: words('Connect OneLogin to us', 'Relier OneLogin à nous'),
      blocks: [
        path(yours.app, 'Configuration'),
        copy('SCIM Base URL', 'scim_base_url'),
        text(
          'Enter the secret from this page as **SCIM Bearer Token**, click **Save**, and then **Enable** at **API Status**, under **API Connection**.',
          'Saisissez le secret de cette page comme **SCIM Bearer Token**, cliquez sur **Save**, puis sur **Enable** à **API Status**, sous **API Connection**.',
        ),
      ],
    },
    {
      id: 'parameters',
      title: words('Choose the data to send', 'Choisir les données à envoyer'),
      blocks: [
        path(yours.app, 'Parameters'),
        settings(['SCIM Username', 'Email'], ['Groups', 'Include in User Provisioning']),
        text('Click **Save** for each.', 'Cliquez sur **Save** pour chacun.'),
      ],
    },
    {
      id: 'provisioning',
      title: words('Turn on provisioning', 'Activer le provisionnement'),
      blocks: [
        path(yours.app, 'Provisioning'),
        settings(
          ['Enable provisioning', '✓'],
          ['When users are deleted in OneLogin, …', 'Suspend'],
          ['When user accounts are suspended in OneLogin, …', 'Suspend'],
        ),
        warn(
          'Each action that is ticked under **Require admin approval before this action is performed** waits for your approval under **Users**, **Provisioning**.',
          'Chaque action cochée sous **Require admin approval before this action is performed** attend votre accord sous **Users**, **Provisioning**.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Assign users and groups', 'Affecter des utilisateurs et des groupes'),
      blocks: [
        text(
          'Assign the app to a role under **Access**. To send groups, add a rule: under **Rules**, click **Add Rule** and choose the action **Set Groups**.',
          'Affectez l’application à un rôle sous **Access**. Pour envoyer les groupes, ajoutez une règle\u00a0: sous **Rules**, cliquez sur **Add Rule** et choisissez l’action **Set Groups**.',
        ),
        path(yours.app, 'Rules', 'Add Rule'),
      ],
    },
  ],
  quirks: [
    words(
      'A user whose state in the app is **Pending** is only sent after you click this state and then **Approve**.',
      'Un utilisateur dont l’état dans l’application est **Pending** n’est envoyé qu’après un clic sur cet état, puis sur **Approve**.',
    ),
  ],
}
