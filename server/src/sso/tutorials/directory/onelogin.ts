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
          'Search for **SCIM Provisioner with SAML (SCIM v2 Core)**, open it, give it a name and press **Save**.',
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
          'Enter the secret of this page as **SCIM Bearer Token**, press **Save**, and then **Enable** at **API Status**, under **API Connection**.',
          'Saisissez le secret de cette page comme **SCIM Bearer Token**, cliquez sur **Save**, puis sur **Enable** à **API Status**, sous **API Connection**.',
        ),
      ],
    },
    {
      id: 'parameters',
      title: words('Choose what is sent', 'Choisir ce qui est envoyé'),
      blocks: [
        path(yours.app, 'Parameters'),
        settings(['SCIM Username', 'Email'], ['Groups', 'Include in User Provisioning']),
        text('Press **Save** at each.', 'Cliquez à chacun sur **Save**.'),
      ],
    },
    {
      id: 'provisioning',
      title: words('Turn provisioning on', 'Activer le provisionnement'),
      blocks: [
        path(yours.app, 'Provisioning'),
        settings(
          ['Enable provisioning', '✓'],
          ['When users are deleted in OneLogin, …', 'Suspend'],
          ['When user accounts are suspended in OneLogin, …', 'Suspend'],
        ),
        warn(
          'As long as an action is ticked under **Require admin approval before this action is performed**, it waits for you under **Users**, **Provisioning**.',
          'Tant qu’une action est cochée sous **Require admin approval before this action is performed**, elle attend votre accord sous **Users**, **Provisioning**.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Assign people and groups', 'Attribuer des personnes et des groupes'),
      blocks: [
        text(
          'Give the app to a role under **Access**. Groups are sent by a rule: under **Rules** press **Add Rule**, and choose **Set Groups** as the action.',
          'Donnez l’application à un rôle sous **Access**. Les groupes s’envoient par une règle\u00a0: sous **Rules**, cliquez sur **Add Rule** et choisissez l’action **Set Groups**.',
        ),
        path(yours.app, 'Rules', 'Add Rule'),
      ],
    },
  ],
  quirks: [
    words(
      'A user whose state in the app is **Pending** is sent only once you have pressed it, and then **Approve**.',
      'Un utilisateur dont l’état dans l’application est **Pending** n’est envoyé qu’après un clic sur cet état, puis sur **Approve**.',
    ),
  ],
}
