// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of an association: Connect, the properties that enable the
 * controller, Identify, and Keep Alive for as long as it lives.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/string.h>
#include "probe.h"

static int admin_simple(struct probe_queue *q, const struct nvme_command *cmd)
{
	return queue_command(q, cmd, DMA_NONE, 0);
}

static int admin_connect(struct probe_queue *q)
{
	struct nvmf_connect_data *d = q->data.mem;
	struct nvme_command cmd = { };

	cmd.connect.opcode = nvme_fabrics_command;
	cmd.connect.fctype = nvme_fabrics_type_connect;
	cmd.connect.sqsize = cpu_to_le16(QUEUE_DEPTH - 1);
	cmd.connect.kato = cpu_to_le32(probe_kato_ms);

	memset(d, 0, sizeof(*d));
	d->hostid = probe_hostid;
	d->cntlid = cpu_to_le16(0xffff);	/* whichever is free */
	strscpy(d->subsysnqn, probe_nqn, sizeof(d->subsysnqn));
	strscpy(d->hostnqn, probe_hostnqn, sizeof(d->hostnqn));
	return queue_command(q, &cmd, DMA_TO_DEVICE, sizeof(*d));
}

static int admin_property_get(struct probe_queue *q, u32 offset, bool is_64, u64 *value)
{
	struct nvme_command cmd = { };
	int err;

	cmd.prop_get.opcode = nvme_fabrics_command;
	cmd.prop_get.fctype = nvme_fabrics_type_property_get;
	cmd.prop_get.attrib = is_64;
	cmd.prop_get.offset = cpu_to_le32(offset);
	err = admin_simple(q, &cmd);
	if (!err)
		*value = is_64 ? le64_to_cpu(q->rsp.result.u64) : le32_to_cpu(q->rsp.result.u32);
	return err;
}

static int admin_enable(struct probe_queue *q)
{
	struct nvme_command cmd = { };

	cmd.prop_set.opcode = nvme_fabrics_command;
	cmd.prop_set.fctype = nvme_fabrics_type_property_set;
	cmd.prop_set.offset = cpu_to_le32(NVME_REG_CC);
	cmd.prop_set.value = cpu_to_le64(NVME_CC_ENABLE | NVME_CC_IOSQES | NVME_CC_IOCQES);
	return admin_simple(q, &cmd);
}

static int admin_wait_ready(struct probe_queue *q, u64 cap)
{
	/* CAP.TO counts half seconds */
	unsigned long limit = jiffies + (NVME_CAP_TIMEOUT(cap) + 1) * HZ / 2;
	u64 csts;
	int err;

	for (;;) {
		err = admin_property_get(q, NVME_REG_CSTS, false, &csts);
		if (err)
			return err;
		if (csts & NVME_CSTS_CFS)
			return -EIO;
		if (csts & NVME_CSTS_RDY)
			return 0;
		if (time_after(jiffies, limit))
			return -ETIMEDOUT;
		usleep_range(5000, 10000);
	}
}

/* @from is padded with blanks and has no end */
static void admin_text(char *to, const char *from, size_t len)
{
	while (len && (from[len - 1] == ' ' || !from[len - 1]))
		len--;
	memcpy(to, from, len);
	to[len] = '\0';
}

static int admin_identify(struct probe_queue *q)
{
	struct nvme_id_ctrl *id = q->data.mem;
	struct nvme_command cmd = { };
	struct probe_path *p = q->path;
	bool good;
	int err;

	BUILD_BUG_ON(sizeof(*id) != QUEUE_DATA);
	cmd.identify.opcode = nvme_admin_identify;
	cmd.identify.cns = NVME_ID_CNS_CTRL;
	memset(id, 0xa5, sizeof(*id));
	err = queue_command(q, &cmd, DMA_FROM_DEVICE, sizeof(*id));
	if (err)
		return err;

	spin_lock_irq(&probe_lock);
	admin_text(p->model, id->mn, sizeof(id->mn));
	admin_text(p->serial, id->sn, sizeof(id->sn));
	admin_text(p->subnqn, id->subnqn, strnlen(id->subnqn, sizeof(id->subnqn)));
	good = p->model[0] && !strcmp(p->subnqn, probe_nqn) && le16_to_cpu(id->cntlid) == p->cntlid;
	spin_unlock_irq(&probe_lock);
	return good ? 0 : -EPROTO;
}

static int admin_set_keep_alive(struct probe_queue *q)
{
	struct nvme_command cmd = { };

	cmd.features.opcode = nvme_admin_set_features;
	cmd.features.fid = cpu_to_le32(NVME_FEAT_KATO);
	cmd.features.dword11 = cpu_to_le32(probe_kato_ms);
	return admin_simple(q, &cmd);
}

static int admin_errno(struct probe_queue *q, const char *step, int err)
{
	probe_note_error(q, step, err);
	if (err < 0)
		return err;
	/* this host will never be let in, so trying again is useless */
	return (err & 0x7ff) == NVME_SC_CONNECT_INVALID_HOST ? -EKEYREJECTED : -EIO;
}

int admin_associate(struct probe_queue *q)
{
	struct probe_path *p = q->path;
	u64 cap, vs;
	int err;

	err = admin_connect(q);
	if (err)
		return admin_errno(q, "connect", err);
	spin_lock_irq(&probe_lock);
	p->cntlid = le32_to_cpu(q->rsp.result.u32) & 0xffff;
	spin_unlock_irq(&probe_lock);

	err = admin_property_get(q, NVME_REG_CAP, true, &cap);
	if (err)
		return admin_errno(q, "get-cap", err);
	err = admin_property_get(q, NVME_REG_VS, false, &vs);
	if (err)
		return admin_errno(q, "get-vs", err);
	spin_lock_irq(&probe_lock);
	p->version = vs;
	spin_unlock_irq(&probe_lock);

	err = admin_enable(q);
	if (err)
		return admin_errno(q, "enable", err);
	err = admin_wait_ready(q, cap);
	if (err)
		return admin_errno(q, "ready", err);
	err = admin_identify(q);
	if (err)
		return admin_errno(q, "identify", err);
	err = admin_set_keep_alive(q);
	if (err)
		return admin_errno(q, "set-keep-alive", err);

	spin_lock_irq(&probe_lock);
	p->associations++;
	spin_unlock_irq(&probe_lock);
	queue_delayed_work(probe_wq, &q->keep_alive, msecs_to_jiffies(probe_kato_ms / 2));
	return 0;
}

void admin_keep_alive_work(struct work_struct *work)
{
	struct probe_queue *q = container_of(to_delayed_work(work), struct probe_queue, keep_alive);
	struct nvme_command cmd = { };
	int err;

	cmd.common.opcode = nvme_admin_keep_alive;
	err = admin_simple(q, &cmd);

	/* conn_lost aborts the command; that is no failure of the controller */
	if (err == -ESHUTDOWN)
		return;
	spin_lock_irq(&probe_lock);
	if (err)
		q->path->keep_alive_errors++;
	else
		q->path->keep_alives++;
	spin_unlock_irq(&probe_lock);
	if (err) {
		probe_note_error(q, "keep-alive", err);
		rmc_conn_fail(q->conn, err < 0 ? err : -EIO);
		return;
	}
	queue_delayed_work(probe_wq, &q->keep_alive, msecs_to_jiffies(probe_kato_ms / 2));
}
