use super::*;

fn write(file: &Arc<dyn DiskFile>, bytes: &[u8], position: u64) {
    file.write_all_at(&mut [IoSlice::new(bytes)], position).unwrap();
}

#[test]
fn a_power_cut_drops_what_was_not_synced() {
    let disk = SimDisk::new();
    let dir = Path::new("/d");
    disk.create_dir(dir).unwrap();
    disk.sync_dir(Path::new("/")).unwrap();
    let file = disk.open(&dir.join("f"), OpenMode::Create).unwrap();
    write(&file, b"synced", 0);
    file.sync_data().unwrap();
    disk.sync_dir(dir).unwrap();
    write(&file, b" not", 6);
    disk.open(&dir.join("unlinked"), OpenMode::Create).unwrap();
    let after = disk.power_cut(PowerCut::Dropped);
    assert_eq!(after.read(&dir.join("f")).unwrap(), b"synced");
    assert!(!after.exists(&dir.join("unlinked")).unwrap());
    assert!(file.sync_data().is_err(), "the old disk is dead");
    let kept = disk.power_cut(PowerCut::Kept);
    assert_eq!(kept.read(&dir.join("f")).unwrap(), b"synced not");
}

#[test]
fn a_file_whose_entry_was_not_synced_is_gone_with_its_content() {
    let disk = SimDisk::new();
    let file = disk.open(Path::new("/f"), OpenMode::Create).unwrap();
    write(&file, b"x", 0);
    file.sync_data().unwrap();
    assert!(!disk.power_cut(PowerCut::Dropped).exists(Path::new("/f")).unwrap());
}

#[test]
fn a_failed_sync_loses_the_pages_for_good() {
    let disk = SimDisk::new();
    let file = disk.open(Path::new("/f"), OpenMode::Create).unwrap();
    disk.sync_dir(Path::new("/")).unwrap();
    write(&file, b"lost", 0);
    disk.inject(Fault { op: DiskOp::Sync, path: "/f".into(), errno: 5, written: 0, times: 1 });
    assert!(file.sync_data().is_err());
    file.sync_data().unwrap();
    assert_eq!(disk.power_cut(PowerCut::Dropped).read(Path::new("/f")).unwrap(), b"");
}

#[test]
fn a_full_disk_takes_what_fits_and_then_nothing() {
    let disk = SimDisk::new();
    disk.set_capacity(Some(4));
    let file = disk.open(Path::new("/f"), OpenMode::Create).unwrap();
    let error = file.write_all_at(&mut [IoSlice::new(b"12"), IoSlice::new(b"345")], 0).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(file.len().unwrap(), 4);
    disk.set_capacity(None);
    write(&file, b"5", 4);
}

#[test]
fn power_goes_at_the_operation_that_was_named() {
    let disk = SimDisk::new();
    let file = disk.open(Path::new("/f"), OpenMode::Create).unwrap();
    write(&file, b"1", 0);
    disk.cut_power_at(disk.op_count() + 1);
    write(&file, b"2", 1);
    assert!(file.write_at(&[IoSlice::new(b"3")], 2).is_err());
    assert!(file.read_at(&mut [0], 0).is_err());
}

#[test]
fn a_reordered_cut_can_keep_a_later_sector_without_an_earlier_one() {
    let holes = (0..64).filter(|&seed| {
        let disk = SimDisk::new();
        let file = disk.open(Path::new("/f"), OpenMode::Create).unwrap();
        disk.sync_dir(Path::new("/")).unwrap();
        write(&file, &[1; 1024], 0);
        disk.power_cut(PowerCut::Reordered { seed }).read(Path::new("/f")).unwrap()
            == [vec![0; 512], vec![1; 512]].concat()
    });
    assert!(holes.count() > 0);
}
